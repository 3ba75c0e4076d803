/// Takes values from the beginning of an input. Past its end, all are zero or empty.
struct InputReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func integer() -> Int64 {
        Int64(bitPattern: (0..<8).reduce(UInt64(0)) { value, _ in value << 8 | UInt64(byte()) })
    }

    /// As many bytes as the first one says.
    mutating func bytes() -> [UInt8] {
        let taken = rest.prefix(Int(byte()))
        rest = rest.dropFirst(taken.count)
        return Array(taken)
    }
}

extension [UInt8] {
    /// The bytes before the first line feed, and those behind it.
    var firstLine: (line: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
        let end = firstIndex(of: 0x0A) ?? endIndex
        return (self[..<end], self[end...].dropFirst())
    }
}
