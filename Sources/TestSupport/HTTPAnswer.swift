/// An HTTP answer as it came over the wire.
public struct HTTPAnswer: Sendable {
    public let status: Int
    /// Names in lower case, in the order in which they came.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]

    /// Reads a whole answer; nil where `bytes` are none.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
        self.status = status
        fields = lines.dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            return (parts[0].lowercased(), String(parts[1].drop { $0 == " " }))
        }
        body = Array(bytes[end.upperBound...])
    }

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of the first field called `name`, which is written in lower case.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
