/// An answer as it came over the wire.
struct RawResponse: Sendable {
    let status: Int
    /// Status line and fields.
    let head: String
    var body: [UInt8] = []

    init?(head: String) {
        let words = head.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
        self.status = status
        self.head = head
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    var contentLength: Int { field("content-length").flatMap { Int($0) } ?? 0 }

    func field(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name { return String(parts[1].drop { $0 == " " }) }
        }
        return nil
    }
}
