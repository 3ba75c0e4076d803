import HTTPServer
import HTTPTypes
import Testing

@Suite struct RequestTests {
    static let accepted = [
        ("GET / HTTP/1.1\r\nHost: a", "GET / - "),
        ("GET /a?b=c&d HTTP/1.1\r\nHost: a", "GET /a b=c&d "),
        ("GET /a? HTTP/1.1\r\nHost: a", "GET /a  "),
        ("GET /a%20b/%e2%82%ac HTTP/1.1\r\nHost: a", "GET /a%20b/%e2%82%ac - "),
        ("GET /a?b=/../%2F%5c HTTP/1.1\r\nHost: a", "GET /a b=/../%2F%5c "),
        ("GET /.well-known/...x HTTP/1.1\r\nHost: a", "GET /.well-known/...x - "),
        ("GET http://A:80/x?y HTTP/1.1\r\nHost: a:80", "GET /x y "),
        ("GET HTTP://a HTTP/1.1\r\nHost: a", "GET / - "),
        ("GET http://a?q HTTP/1.1\r\nHost: a", "GET / q "),
        ("GET / HTTP/1.1\r\nHost: [::1]:8080", "GET / - "),
        ("GET / HTTP/1.0", "GET / - "),
        ("OPTIONS * HTTP/1.1\r\nHost: a", "OPTIONS * - "),
        ("OPTIONS http://a HTTP/1.1\r\nHost: a", "OPTIONS * - "),
        ("BREW /pot HTTP/1.1\r\nHost: a", "BREW /pot - "),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0", "POST / - "),
        ("GET / HTTP/1.1\r\nX:\r\nHost:\ta\r\nY: \r\nZ:a:b \t", "GET / - "),
        ("GET / HTTP/1.1\r\nHost: a:\r\nCookie: a=b; c=d", "GET / - "),
        (
            "GET /?\(String(repeating: "a=b&", count: 100)) HTTP/1.1\r\nHost: [::FFFF:127.0.0.1]:80",
            "GET / \(String(repeating: "a=b&", count: 100)) "
        ),
    ]

    @Test(arguments: accepted)
    func anUnambiguousRequestReachesTheHandler(_ head: String, _ expected: String) async throws {
        try await withServer { server in
            let response = try await fetch(server, head + "\r\n\r\n")

            #expect(response?.status == 200)
            #expect(response?.text == expected)
            #expect(response?.field("date") != nil)
        }
    }

    @Test func aHandlerSeesFieldsAuthorityTargetAndPeer() async throws {
        let handler: HTTPServer.Handler = { request in
            let fields = [request.headerFields[.userAgent], request.authority, request.target, request.remoteAddress]
            let text = fields.map { $0 ?? "-" }.joined(separator: " ")
            return ServerResponse(status: .created, headerFields: [.location: "/n"], body: .bytes(Array(text.utf8)))
        }
        try await withServer(handler: handler) { server in
            let response = try await fetch(
                server,
                "GET http://a:1/x?y HTTP/1.1\r\nHost: a:1\r\nUser-Agent: t/1\r\n\r\n"
            )

            #expect(response?.status == 201)
            #expect(response?.field("location") == "/n")
            #expect(response?.text == "t/1 a:1 http://a:1/x?y 127.0.0.1")
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let handler: HTTPServer.Handler = { request in
            await Task.yield()
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let port = server.port
            let responses = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send(
                    (0..<10).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n\($0)" }.joined()
                )
                return (0..<10).map { _ in client.readResponse()?.text }
            }
            #expect(responses == (0..<10).map { "POST /\($0) - \($0)" })
        }
    }

    @Test func manyConnectionsAreServedAtOnceWhileTheirHandlersWait() async throws {
        let gate = OneTimeSignal()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/open" { gate.open() } else { await gate.wait() }
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            try await withThrowingTaskGroup { group in
                for index in 0..<32 {
                    group.addTask { try await fetch(server, "GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n")?.status }
                }
                group.addTask { try await fetch(server, "GET /open HTTP/1.1\r\nHost: a\r\n\r\n")?.status }

                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func anAnswerToHeadHasTheFieldsAndNoBody() async throws {
        try await withServer { server in
            let port = server.port
            let responses = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
                return (client.readResponse(toHead: true), client.readResponse())
            }
            #expect(responses.0?.contentLength == "HEAD /a - ".utf8.count)
            #expect(responses.1?.text == "GET /b - ")
        }
    }

    @Test(arguments: [204, 304])
    func aStatusWithoutContentSendsNone(_ code: Int) async throws {
        let handler: HTTPServer.Handler = { request in
            request.path == "/b" ? await echo(request) : ServerResponse(status: .init(code: code))
        }
        try await withServer(handler: handler) { server in
            let port = server.port
            let responses = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
                return (client.readResponse(toHead: true), client.readResponse())
            }
            #expect(responses.0?.status == code)
            #expect(responses.1?.text == "GET /b - ")
        }
    }
}
