import Curl

/// The events of the service as they happen (Server-Sent Events).
///
/// After a lost connection, or a restart of the service, the stream connects again and goes on after the last event
/// that it saw. It ends with an error if the first connection fails, if the task is cancelled, if the service refuses
/// the request, or if it stays away for about a minute.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = StreamItem
    public typealias Failure = ClientError

    let client: CormorantClient
    let query: EventQuery

    public func makeAsyncIterator() -> Iterator { Iterator(client: client, query: query) }

    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = ClientError

        private let client: CormorantClient
        private let query: EventQuery
        private var parser = EventParser()
        private var bytes: ByteStream.Iterator?
        private var ready: ArraySlice<EventParser.Block> = []
        private var failures = 0
        private var hasConnected = false

        /// How often in a row a connection may fail before the stream gives up; about a minute.
        private static let maximumFailures = 20

        init(client: CormorantClient, query: EventQuery) {
            self.client = client
            self.query = query
            parser.lastID = query.afterSeq.map { "\($0)" } ?? ""
        }

        public mutating func next() async throws(ClientError) -> StreamItem? {
            while true {
                while let block = ready.popFirst() {
                    if let item = try StreamItem(block) { return item }
                }
                guard try await fill() else { return nil }
            }
        }

        /// Reads until there is at least one more piece.
        ///
        /// - Returns: False if the service says that nothing will follow.
        private mutating func fill() async throws(ClientError) -> Bool {
            do throws(ClientError) {
                if bytes == nil { guard try await connect() else { return false } }
                guard let piece = try await bytes?.next() else {
                    bytes = nil
                    try await pause()
                    return true
                }
                failures = 0
                ready = parser.consume(piece)[...]
                return true
            } catch {
                guard hasConnected || error.isOfGateway, error.isTransient, failures < Self.maximumFailures else {
                    throw error
                }
                failures += 1
                bytes = nil
                try await pause()
                return true
            }
        }

        private mutating func connect() async throws(ClientError) -> Bool {
            var request = APIRequest("GET", "/events", query: query.pairs(isStream: true))
            request.fields = [APIRequest.Pair("Accept", "text/event-stream")]
            request.answer = .eventStream
            if !parser.lastID.isEmpty { request.fields.append(APIRequest.Pair("Last-Event-ID", parser.lastID)) }
            let exchange = try await client.open(request, isEndless: true)
            guard exchange.head.status == 200 else { return false }
            hasConnected = true
            parser.restart()
            bytes = ByteStream(exchange: exchange, client: client).makeAsyncIterator()
            return true
        }

        private func pause() async throws(ClientError) {
            // The server sets the pause before a new connection with the field `retry` (HTML, 9.2.6).
            do { try await Task.sleep(for: .milliseconds(Swift.min(parser.retryMilliseconds, 5000))) } catch {
                throw .cancelled
            }
        }
    }
}

extension ClientError {
    /// Whether a proxy could not reach the service.
    var isOfGateway: Bool {
        if case .notCormorant(502...504, _) = self { true } else { false }
    }

    /// Whether the same request may succeed a little later.
    var isTransient: Bool {
        switch self {
        case .unreachable: true
        case .problem(let problem): problem.status == 429 || problem.status == 503
        case .notCormorant(let status, _): (502...504).contains(status)
        case .invalidServer, .invalidToken, .undecodable, .cancelled: false
        }
    }
}

/// Parses a `text/event-stream` (WHATWG HTML, section 9.2.6).
struct EventParser {
    struct Block: Hashable {
        var event: String
        var data: String
    }

    /// The id to send after a reconnect.
    var lastID = ""
    private(set) var retryMilliseconds = 3000
    private var line: [UInt8] = []
    private var event = ""
    private var data: [String] = []

    /// Discards a block that a lost connection cut off.
    mutating func restart() {
        line = []
        event = ""
        data = []
    }

    mutating func consume(_ bytes: [UInt8]) -> [Block] {
        var blocks: [Block] = []
        for byte in bytes {
            // The service ends its lines with a line feed.
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let block = endLine() { blocks.append(block) }
            line.removeAll(keepingCapacity: true)
        }
        return blocks
    }

    private mutating func endLine() -> Block? {
        guard !line.isEmpty else {
            defer {
                event = ""
                data = []
            }
            return data.isEmpty ? nil : Block(event: event, data: data.joined(separator: "\n"))
        }
        let text = String(decoding: line, as: UTF8.self)
        guard let colon = text.firstIndex(of: ":") else { return nil }
        var value = text[text.index(after: colon)...]
        if value.first == " " { value = value.dropFirst() }
        switch text[..<colon] {
        case "id": lastID = String(value)
        case "event": event = String(value)
        case "data": data.append(String(value))
        case "retry": retryMilliseconds = Int(value) ?? retryMilliseconds
        default: break
        }
        return nil
    }
}

extension StreamItem {
    /// - Returns: nil for a block that this version does not know.
    init?(_ block: EventParser.Block) throws(ClientError) {
        let bytes = Array(block.data.utf8)
        switch block.event {
        case "snapshot":
            struct Snapshot: Decodable {
                let items: [Download]
                let more: Bool?
            }
            let snapshot: Snapshot = try ClientJSON.decode(bytes)
            self = .snapshot(snapshot.items, isLast: !(snapshot.more ?? false))
        case "progress": self = .progress(try ClientJSON.decode(bytes))
        case "reset": self = .reset
        case "end": self = .end
        case let name where name.contains("."):
            var event: Event = try ClientJSON.decode(bytes)
            event.json = block.data
            self = .event(event)
        default: return nil
        }
    }
}
