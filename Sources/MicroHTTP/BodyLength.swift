/// How a request tells where its body ends.
enum BodyLength: Equatable {
    case declared(UInt64)
    case chunked

    var isEmpty: Bool { self == .declared(0) }

    func exceeds(_ limit: Int) -> Bool {
        switch self {
        case .declared(let length): length > UInt64(limit)
        case .chunked: false
        }
    }
}
