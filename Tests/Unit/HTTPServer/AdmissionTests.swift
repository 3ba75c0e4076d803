import HTTPServer
import HTTPTypes
import TestSupport
import Testing

/// What is decided before a body is read, and what all bodies together may hold.
@Suite(.hangLimit) struct AdmissionTests {
    private static let refuse: HTTPServer.Admission = { _ in .refused(ServerResponse(status: .unauthorized)) }
    private static let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 256 << 10)

    /// Each client sends what the server takes, up to 1 MiB of 4, before it reads.
    @Test func aRefusedHeadKeepsNoByteOfItsBody() async throws {
        try await withServer(admit: Self.refuse) { server in
            let statuses = try await allOf(100) { _ in
                try Self.send(to: server, declaring: 4 << 20, pieces: 4)
            }
            #expect(statuses == Array(repeating: 401, count: 100))
            #expect(server.bufferedBytes.highest == 0)
        }
    }

    @Test func aRefusedClientThatAsksBeforeItSendsIsNotInvited() async throws {
        try await withServer(admit: Self.refuse) { server in
            let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            let response = try await fetch(server, head)

            #expect(response?.status == 401)
        }
    }

    /// A refusal of a request without a body leaves its connection open.
    @Test func aConnectionOutlivesTheRefusalOfARequestWithoutABody() async throws {
        let admit: HTTPServer.Admission = { head in
            head.path == "/no" ? .refused(ServerResponse(status: .notFound)) : .admitted(maxBodyBytes: 10, echo)
        }
        try await withServer(admit: admit) { server in
            let port = server.port
            let statuses = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                return ["/no", "/yes"].map { path in
                    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                    return client.readResponse()?.status
                }
            }
            #expect(statuses == [404, 200])
        }
    }

    @Test func theBodiesOfAllRequestsTogetherHaveALimit() async throws {
        let gate = OneTimeSignal()
        let configuration = configured { $0.maxBufferedBytes = 1 << 20 }
        let handler: HTTPServer.Handler = { request in
            await gate.wait()
            return ServerResponse(status: request.body.isEmpty ? .badRequest : .ok)
        }
        try await withServer(configuration, maxBodyBytes: 4 << 20, handler: handler) { server in
            // Whole bodies of 256 KiB: four of them have room, and keep it until they are answered.
            let statuses = try await allOf(12) { _ in
                let status = try Self.send(to: server, declaring: 256 << 10, pieces: 1)
                if status == 503 { gate.open() }
                return status
            }
            #expect(Set(statuses) == [200, 503])
            #expect(server.bufferedBytes.highest <= 1 << 20)
            #expect(server.bufferedBytes.now == 0)
            let last = try await allOf(1) { _ in try Self.send(to: server, declaring: 256 << 10, pieces: 1) }
            #expect(last == [200])
        }
    }

    /// libmicrohttpd may overlook the end of a connection that comes right behind its bytes, until the deadline.
    @Test func theBufferOfABodyIsFreedWhenItsClientLeaves() async throws {
        let configuration = configured {
            $0.maxBufferedBytes = 1 << 20
            $0.bodyDeadline = .milliseconds(500)
        }
        try await withServer(configuration, maxBodyBytes: 4 << 20) { server in
            let port = server.port
            for _ in 0..<8 {
                try await blocking {
                    let client = try RawClient(port: port)
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                    client.send(Self.piece + Self.piece)
                    client.close()
                }
                try await poll("no connection", because: .counter) {
                    server.connectionCount
                } is: {
                    $0 == 0
                }
            }
            #expect(server.bufferedBytes.now == 0)
            #expect(server.bufferedBytes.highest <= 1 << 20)
        }
    }

    private static func send(to server: HTTPServer, declaring length: Int, pieces: Int) throws -> Int? {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
        for _ in 0..<pieces where !client.send(piece) { break }
        return client.readResponse()?.status
    }

    /// Calls `body` so many times at once, each on a thread of its own.
    private func allOf(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Int?) async throws -> [Int?] {
        try await withThrowingTaskGroup { group in
            for index in 0..<count { group.addTask { try await blocking { try body(index) } } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
