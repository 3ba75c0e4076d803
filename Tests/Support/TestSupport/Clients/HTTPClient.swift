import Glibc

/// A client that sends what it is told, byte for byte, on a connection of its own for each request.
public struct HTTPClient: Sendable {
    public struct Failure: Error {
        public let text: String

        public init(text: String) {
            self.text = text
        }
    }

    public let port: UInt16

    public init(port: UInt16) {
        self.port = port
    }

    /// - Parameter fields: Sent besides `Host`, `Connection` and `Content-Length`, unless they bring these themselves.
    public func send(
        _ method: String,
        _ target: String,
        fields: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> ReceivedResponse {
        let given = Set(fields.map { $0.0.lowercased() })
        var standard = [("Host", "127.0.0.1:\(port)"), ("Connection", "close")]
        if let body { standard.append(("Content-Length", "\(body.count)")) }
        let all = standard.filter { !given.contains($0.0.lowercased()) } + fields
        let head = ["\(method) \(target) HTTP/1.1"] + all.map { "\($0.0): \($0.1)" } + ["", ""]
        return try await exchange(Array(head.joined(separator: "\r\n").utf8) + (body ?? []))
    }

    /// Sends these bytes and reads until the server ends the connection.
    public func exchange(_ bytes: [UInt8]) async throws -> ReceivedResponse {
        let port = port
        let response = await withCheckedContinuation { continuation in
            onNewThread { continuation.resume(returning: Self.exchangeBlocking(bytes, port)) }
        }
        guard let read = ReceivedResponse(response) else {
            throw Failure(text: "no answer, but '\(String(decoding: response, as: UTF8.self))'")
        }
        return read
    }

    private static func exchangeBlocking(_ bytes: [UInt8], _ port: UInt16) -> [UInt8] {
        guard let socket = Socket.connected(to: port) else { return [] }
        defer { socket.closeNow() }
        // A server that refuses early may not take everything: its answer counts.
        _ = socket.write(bytes)
        var response: [UInt8] = []
        while true {
            let piece = socket.read()
            if piece.isEmpty { return response }
            response += piece
        }
    }
}

/// An HTTP answer as it came over the wire.
public struct ReceivedResponse: Sendable {
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
