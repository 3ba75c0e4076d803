import HTTPServer
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Bodies that come piece by piece.
@Suite(.hangLimit) struct StreamTests {
    /// A source that a test fills.
    private final class Feed: Sendable {
        private struct State {
            var pieces: [ResponseStream.Piece] = []
            var isEnded = false
            var reads = 0
            weak var body: ResponseStream?
        }

        private let state = Mutex(State())
        let gone = OneTimeSignal()

        var handler: HTTPServer.Handler { { _ in self.response() } }

        func response(_ status: HTTPResponse.Status = .ok) -> ServerResponse {
            let body = ResponseStream {
                self.next()
            } ended: {
                self.gone.open()
            }
            state.withLock { $0.body = body }
            return ServerResponse(status: status, body: .stream(body))
        }

        func add(_ pieces: [String], isLast: Bool = false) {
            let body = state.withLock { state in
                state.pieces += pieces.map { .bytes(Array($0.utf8)) } + (isLast ? [.end] : [])
                return state.body
            }
            body?.wake()
        }

        var reads: Int { state.withLock { $0.reads } }

        private func next() -> ResponseStream.Piece {
            state.withLock { state in
                state.reads += 1
                if state.isEnded || state.pieces.isEmpty { return state.isEnded ? .end : .nothingYet }
                let piece = state.pieces.removeFirst()
                if case .end = piece { state.isEnded = true }
                return piece
            }
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Reads chunks until there are `count` bytes of them, or the last one.
    private static func chunks(_ client: RawClient, _ count: Int = .max) -> String {
        var text = ""
        while text.utf8.count < count {
            guard let line = client.readLine(), let length = Int(line, radix: 16) else { break }
            text += client.readText(length) ?? ""
            _ = client.readLine()
            if length == 0 { break }
        }
        return text
    }

    @Test func eachPieceComesAsSoonAsItIsThere() async throws {
        let feed = Feed()
        try await withServer(handler: feed.handler) { server in
            let port = server.port
            try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send(Self.request)
                let head = client.readResponse(toHead: true)
                #expect(head?.status == 200)
                #expect(head?.field("transfer-encoding") == "chunked")
                for piece in ["one", "two", "three"] {
                    feed.add([piece])
                    #expect(Self.chunks(client, piece.utf8.count) == piece)
                }
                feed.add(["four"], isLast: true)
                #expect(Self.chunks(client) == "four")
                client.send(Self.request)
                #expect(client.readResponse(toHead: true)?.status == 200)
            }
            await feed.gone.wait()
        }
    }

    @Test func piecesOfAnyLengthArriveWhole() async throws {
        let feed = Feed()
        let pieces = (1...400).map { String(repeating: String($0 % 10), count: $0 * 37) }
        try await withServer(handler: feed.handler) { server in
            let port = server.port
            let text = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send(Self.request)
                _ = client.readResponse(toHead: true)
                for piece in pieces.dropLast() { feed.add([piece]) }
                feed.add([pieces[399]], isLast: true)
                return Self.chunks(client)
            }
            #expect(text == pieces.joined())
        }
    }

    @Test func streamsThatWaitHoldNoThread() async throws {
        let feeds = (0..<100).map { _ in Feed() }
        let next = Atomic(0)
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/stream" else { return await echo(request) }
            return feeds[next.add(1, ordering: .relaxed).oldValue].response()
        }
        try await withServer(configured { $0.threads = 1 }, handler: handler) { server in
            let port = server.port
            let clients = try await blocking {
                try feeds.map { _ in
                    let client = try RawClient(port: port)
                    client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = client.readResponse(toHead: true)
                    return client
                }
            }
            #expect(try await fetch(server, "GET /other HTTP/1.1\r\nHost: a\r\n\r\n")?.text == "GET /other - ")
            for feed in feeds { feed.add(["x"], isLast: true) }
            try await blocking {
                for client in clients {
                    #expect(Self.chunks(client) == "x")
                    client.close()
                }
            }
        }
    }

    @Test func aStreamEndsWhenItsClientLeaves() async throws {
        let feed = Feed()
        try await withServer(handler: feed.handler) { server in
            let port = server.port
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Self.request)
                _ = client.readResponse(toHead: true)
                client.close()
            }
            await feed.gone.wait()
        }
    }

    /// It is not suspended, since its source has more: libmicrohttpd's own clock ends it.
    @Test func aStreamWhoseClientTakesNothingIsCut() async throws {
        let gone = OneTimeSignal()
        let body = ResponseStream {
            .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10))
        } ended: {
            gone.open()
        }
        let handler: HTTPServer.Handler = { _ in ServerResponse(status: .ok, body: .stream(body)) }
        try await withServer(configured { $0.idleTimeout = .seconds(1) }, handler: handler) { server in
            let port = server.port
            let client = try await blocking {
                let client = try RawClient(port: port)
                client.send(Self.request)
                _ = client.readResponse(toHead: true)
                return client
            }
            await gone.wait()
            client.close()
        }
    }

    @Test func aShutdownEndsAStreamThatWaits() async throws {
        let feed = Feed()
        let server = try HTTPServer(configuration: configured { _ in }) { _ in feed.response() }
        let port = server.port
        let client = try await blocking {
            let client = try RawClient(port: port)
            client.send(Self.request)
            _ = client.readResponse(toHead: true)
            return client
        }

        await server.shutdown(deadline: .zero)
        await feed.gone.wait()
        let rest = try await blocking { client.readToEnd() }
        #expect(rest == "0\r\n\r\n")
        client.close()
    }

    /// Neither its own clock nor the server's ends it in this test's time.
    @Test func aStopDoesNotWaitForAClientThatTakesNothing() async throws {
        let full = OneTimeSignal()
        let body = ResponseStream {
            full.open()
            return .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10))
        } ended: {
        }
        let server = try HTTPServer(configuration: configured { $0.idleTimeout = .seconds(3600) }) { _ in
            ServerResponse(status: .ok, body: .stream(body))
        }
        let port = server.port
        let client = try await blocking {
            let client = try RawClient(port: port)
            client.send(Self.request)
            return client
        }
        await full.wait()

        await server.shutdown(deadline: .seconds(3600))
        #expect(server.connectionCount == 0)
        client.close()
    }

    @Test func aHeadDoesNotAskTheSource() async throws {
        let feed = Feed()
        feed.add(["x"])
        try await withServer(handler: feed.handler) { server in
            _ = try await fetch(server, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            await feed.gone.wait()
            #expect(feed.reads == 0)
        }
    }

    @Test func aStreamThatIsNeverSentEndsToo() async {
        let feed = Feed()

        _ = feed.response()
        await feed.gone.wait()
    }

    @Test func aClientOfHTTP10ReadsToTheEndOfTheConnection() async throws {
        let feed = Feed()
        feed.add(["one", "two"], isLast: true)
        try await withServer(handler: feed.handler) { server in
            let port = server.port
            let text = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send("GET / HTTP/1.0\r\n\r\n")
                return client.readToEnd()
            }
            #expect(text?.hasSuffix("\r\n\r\nonetwo") == true)
        }
    }

    @Test func aWakeAtAnyMomentIsSeen() async throws {
        let feed = Feed()
        try await withServer(handler: feed.handler) { server in
            let port = server.port
            async let reading = blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send(Self.request)
                _ = client.readResponse(toHead: true)
                return Self.chunks(client)
            }
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<500 { feed.add(["x"]) } }
                }
            }
            feed.add([], isLast: true)

            let text = try await reading
            #expect(text.utf8.count == 2000)
        }
    }
}
