/// Reads a `text/event-stream` as it comes, over a connection of its own.
public actor EventReader {
    /// One block of the stream (WHATWG HTML, section 9.2.6), with what a browser does not tell: comments and `retry`.
    public struct Block: Hashable, Sendable {
        public var event: String?
        public var id: String?
        public var data: String?
        public var comment: String?
        public var retry: Int?
    }

    public struct Failure: Error {
        public let text: String
    }

    private let socket: Socket
    private var unread: [UInt8] = []
    private var isChunked = true
    public private(set) var status = 0
    /// Names in lower case.
    public private(set) var fields: [String: String] = [:]

    /// Asks for a stream, and reads the head of the answer.
    ///
    /// - Parameter isSlow: Whether what is not read yet holds the server back, and not the buffers of the connection.
    public init(port: UInt16, _ target: String, fields: [(String, String)] = [], isSlow: Bool = false) async throws {
        guard let socket = Socket.connected(to: port, takesLittle: isSlow) else {
            throw Failure(text: "nobody listens on \(port)")
        }
        self.socket = socket
        let standard = [("Host", "127.0.0.1:\(port)"), ("Accept", "text/event-stream")]
        let lines = ["GET \(target) HTTP/1.1"] + (standard + fields).map { "\($0): \($1)" } + ["", ""]
        guard socket.write(Array(lines.joined(separator: "\r\n").utf8)) else { throw Failure(text: "hung up") }
        try await readHead()
    }

    deinit { socket.closeNow() }

    /// The next block; nil at the end of the stream.
    public func next() async -> Block? {
        while true {
            guard let text = await block() else { return nil }
            let block = Self.parse(text)
            if block != Block() { return block }
        }
    }

    /// The blocks up to the first that `isLast`, or the end.
    public func blocks(upTo isLast: (Block) -> Bool) async -> [Block] {
        var blocks: [Block] = []
        while let block = await next() {
            blocks.append(block)
            if isLast(block) { break }
        }
        return blocks
    }

    /// All that is left, where the stream ends by itself.
    public func rest() async -> [Block] { await blocks { _ in false } }

    /// Lets go of the connection without a farewell (RST), once nobody has the reader any more.
    public func resetOnClose() { socket.resetOnClose() }

    // MARK: - Bytes

    private var body: [UInt8] = []
    /// Whether the stream has come to its end, and was not cut off.
    public private(set) var isAtEnd = false

    private func readHead() async throws {
        while true {
            if let end = unread.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: unread[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                unread.removeSubrange(..<end.upperBound)
                status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    fields[parts[0].lowercased()] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
                }
                isChunked = fields["transfer-encoding"] == "chunked"
                return
            }
            guard await receive() else { throw Failure(text: "no answer") }
        }
    }

    private func block() async -> String? {
        while true {
            if let end = body.firstRange(of: Array("\n\n".utf8)) {
                defer { body.removeSubrange(..<end.upperBound) }
                return String(decoding: body[..<end.lowerBound], as: UTF8.self)
            }
            guard await readChunk() else { return nil }
        }
    }

    /// Adds what the next chunk holds to the body.
    private func readChunk() async -> Bool {
        if isAtEnd { return false }
        guard isChunked else {
            guard await receive() else { return false }
            body += unread
            unread = []
            return true
        }
        while true {
            if let line = unread.firstRange(of: Array("\r\n".utf8)),
                let length = Int(String(decoding: unread[..<line.lowerBound], as: UTF8.self), radix: 16),
                unread.count >= line.upperBound + length + 2
            {
                body += unread[line.upperBound..<(line.upperBound + length)]
                unread.removeSubrange(..<(line.upperBound + length + 2))
                isAtEnd = length == 0
                return length > 0
            }
            guard await receive() else { return false }
        }
    }

    private func receive() async -> Bool {
        let socket = socket
        let bytes = await withCheckedContinuation { continuation in
            onNewThread { continuation.resume(returning: socket.read()) }
        }
        unread += bytes
        return !bytes.isEmpty
    }

    private static func parse(_ text: String) -> Block {
        var block = Block()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1].first == " " ? parts[1].dropFirst() : parts[1]) : ""
            switch parts[0] {
            case "": block.comment = value
            case "event": block.event = value
            case "id": block.id = value
            case "data": block.data = value
            case "retry": block.retry = Int(value)
            default: break
            }
        }
        return block
    }
}
