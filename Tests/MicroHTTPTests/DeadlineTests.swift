import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    /// Each piece is sent while the peer still takes it, so libmicrohttpd's idle timeout never passes.
    private static let brief = configured { configuration in
        configuration.headerDeadline = .milliseconds(300)
        configuration.bodyDeadline = .milliseconds(300)
    }

    @Test(arguments: ["", "GET", "GET / HTTP/1.1\r\nHost: a\r\n"])
    func aHeadThatStaysIncompleteIsCut(_ start: String) async throws {
        try await withServer(Self.brief) { server in
            let port = server.port
            let isCut = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send(start)
                return client.isCut()
            }
            #expect(isCut)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n",
    ])
    func aDripIsCutAlthoughItNeverPauses(_ start: String) async throws {
        try await withServer(Self.brief) { server in
            let port = server.port
            let isCut = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send(start)
                // The peer's closing is what ends the drip: first an answer of the kernel, then a refused write.
                while client.send("x") { client.pause() }
                return true
            }
            #expect(isCut)
        }
    }

    @Test func aHandlerMayTakeLongerThanTheDeadlines() async throws {
        let gate = Gate()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" { await gate.wait() }
            return await echo(request)
        }
        try await withServer(Self.brief, handler: handler) { server in
            let port = server.port
            async let slow = ask(server, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            // A second connection is cut after the first has outlived the same deadline.
            let isCut = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                return client.isCut()
            }
            gate.open()

            #expect(isCut)
            #expect(try await slow?.status == 200)
        }
    }
}
