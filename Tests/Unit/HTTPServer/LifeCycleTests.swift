import HTTPServer
import HTTPTypes
import TestSupport
import Testing

@Suite struct LifeCycleTests {
    @Test func shutdownWaitsForTheHandlersInHand() async throws {
        let started = OneTimeSignal()
        let finish = OneTimeSignal()
        let server = try start { request in
            started.open()
            await finish.wait()
            return await echo(request)
        }
        async let response = fetch(server, "GET /last HTTP/1.1\r\nHost: a\r\n\r\n")
        await started.wait()

        async let stop: Void = server.shutdown()
        finish.open()
        #expect(try await response?.text == "GET /last - ")
        await stop
        await #expect(throws: RawClient.Failure.self) {
            try await fetch(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        }
    }

    @Test func aHandlerThatOutlastsTheShutdownIsCancelledAndAnswered503() async throws {
        let started = OneTimeSignal()
        let server = try start { request in
            started.open()
            let cancelled = OneTimeSignal()
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            return await echo(request)
        }
        async let response = fetch(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await started.wait()

        await server.shutdown(deadline: .milliseconds(50))
        #expect(try await response?.status == 503)
    }

    @Test(.hangLimit, arguments: [false, true])
    func aConnectionEndsWithItsRequestsIfTheClientHasClosedItsSide(waits: Bool) async throws {
        let configuration = configured { $0.idleTimeout = .seconds(3600) }
        let handler: HTTPServer.Handler = { request in
            if waits { await Task.yield() }
            return await echo(request)
        }
        try await withServer(configuration, handler: handler) { server in
            let port = server.port
            let answers = try await blocking {
                try (0..<20).map { _ in
                    let client = try RawClient(port: port)
                    defer { client.close() }
                    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
                    client.endSending()
                    return client.readToEnd()
                }
            }
            #expect(answers.allSatisfy { $0?.contains("GET /a") == true && $0?.contains("GET /b") == true })
        }
    }

    @Test(.hangLimit) func aRequestWhoseRestDoesNotComeDoesNotHoldTheStop() async throws {
        let begun = OneTimeSignal()
        let configuration = configured { $0.bodyDeadline = .seconds(3600) }
        let server = try HTTPServer(configuration: configuration) { _ in
            begun.open()
            return .admitted(maxBodyBytes: 100, echo)
        }
        let client = try RawClient(port: server.port)
        defer { client.close() }
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
        await begun.wait()

        await server.shutdown(deadline: .seconds(3600))

        #expect(server.connectionCount == 0)
    }

    @Test func everyCallOfShutdownEndsWithTheServer() async throws {
        let server = try start(echo)

        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { await server.shutdown() } }
        }
        await server.shutdown()
        #expect(server.connectionCount == 0)
    }

    @Test func aClientThatLeavesDuringItsHandlerAffectsNoOther() async throws {
        let started = OneTimeSignal()
        let finish = OneTimeSignal()
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/left" else { return await echo(request) }
            started.open()
            await finish.wait()
            return ServerResponse(status: .ok, body: .bytes([UInt8](repeating: 0, count: 4 << 20)))
        }
        try await withServer(handler: handler) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /left HTTP/1.1\r\nHost: a\r\n\r\n")
            await started.wait()
            client.close()
            finish.open()
            let next = try await fetch(server, "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(next?.text == "GET /next - ")
        }
    }

    @Test func twoServersServeAtOnce() async throws {
        try await withServer { first in
            try await withServer { second in
                let one = try await fetch(first, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
                let two = try await fetch(second, "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")

                #expect(first.port != second.port)
                #expect(one?.text == "GET /1 - ")
                #expect(two?.text == "GET /2 - ")
            }
        }
    }

    @Test func aStartThatFailsSaysWhy() async throws {
        try await withServer { server in
            var configuration = HTTPServer.Configuration()
            configuration.addresses = [ServerAddress(port: server.port)]
            let taken = HTTPServerError.addressInUse(ServerAddress(port: server.port))
            #expect(throws: taken) { try HTTPServer(configuration: configuration, handler: echo) }
            configuration.addresses = [ServerAddress(host: "localhost", port: 0)]
            #expect(throws: HTTPServerError.invalidAddress("localhost")) {
                try HTTPServer(configuration: configuration, handler: echo)
            }
        }
    }

    private func start(_ handler: @escaping HTTPServer.Handler) throws -> HTTPServer {
        var configuration = HTTPServer.Configuration()
        configuration.addresses = [ServerAddress(port: 0)]
        return try HTTPServer(configuration: configuration, handler: handler)
    }
}

@Suite(.hangLimit) struct DeadlineTests {
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
        let gate = OneTimeSignal()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" { await gate.wait() }
            return await echo(request)
        }
        try await withServer(Self.brief, handler: handler) { server in
            let port = server.port
            async let slow = fetch(server, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
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
