import HTTPServer
import HTTPTypes
import Testing

@Suite struct RefusalTests {
    static let ambiguousHeads = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX : v\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GE\0T / HTTP/1.1\r\nHost: a\r\n\r\n",
        // The Kelvin sign becomes a k where letters are folded as Unicode folds them.
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: v\r\n\r\n",
        "GET / HTTP/1.1\r\n: v\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
    ]

    /// What libmicrohttpd joins, cuts off or overlooks, and another reader may not (RFC 9112 sections 2.2 and 5.2).
    static let headsThatAreReadTwoWays = [
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb\r\nY: c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\tb\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n \r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n 0\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\0\r\nY: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\01\r\n\r\nabc",
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\n",
        "GET / HTTP/1.1\nHost: a\n\n",
    ]

    @Test(arguments: headsThatAreReadTwoWays)
    func aHeadThatIsReadTwoWaysIsRefusedAndItsConnectionClosed(_ request: String) async throws {
        try await expectRefusal(of: request, status: 400)
    }

    /// The same behind another request, and in a head that fills more than the first part of the memory for it.
    @Test func aLaterHeadAndALargeOneAreReadAsStrictly() async throws {
        let large = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 20_000))\r\n"
        try await withServer { server in
            for (second, status) in [
                ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n", 200), ("GET / HTTP/1.1\r\nHost: a\r\nX: b\n\r\n", 400),
                ("\(large)\r\n", 200), ("\(large) b\r\n\r\n", 400), ("\(large)Y: \0\r\n\r\n", 400),
            ] {
                let port = server.port
                let statuses = try await blocking {
                    let client = try RawClient(port: port)
                    defer { client.close() }
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                    let first = client.readResponse()?.status
                    client.send(second)
                    return [first, client.readResponse()?.status]
                }
                #expect(statuses == [200, status])
            }
        }
    }

    @Test(arguments: [
        "localhost:evil.example", "[::1]evil", "[::1", "::1", "a:b", "a:80:80", "a:-1", "a:+1", "a:65536", "[a]", "[]",
        "[::1]:x", "a b", ":80", "a,b", "[fe80::1%25eth0]", "a]", "%zz", "a%",
    ])
    func aHostThatIsNoHostAndPortIsRefused(_ host: String) async throws {
        try await expectRefusal(of: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n", status: 400)
    }

    static let bareLineFeeds = ["3\nabc\r\n0\r\n\r\n", "3;x\nabc\r\n0\r\n\r\n", "1\r\na\n2\r\nbc\r\n0\r\n\r\n"]

    @Test(arguments: bareLineFeeds)
    func aChunkWhoseLineEndsInABareLineFeedIsRefused(_ chunks: String) async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

        try await expectRefusal(of: head + chunks, status: 400)
    }

    @Test(arguments: ambiguousHeads)
    func anAmbiguousHeadIsRefusedAndItsConnectionClosed(_ request: String) async throws {
        try await expectRefusal(of: request, status: 400)
    }

    /// libmicrohttpd refuses these itself, before anyone else sees the head.
    @Test(arguments: ["+3", "3, 3", "-1", "3x", "0x3", ""])
    func aLengthThatIsNoNumberIsRefusedAndItsConnectionClosed(_ length: String) async throws {
        let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\nabc"

        try await expectRefusal(of: request, status: 400, isOnce: false)
    }

    @Test(arguments: [
        ("GET / HTTP/2.5\r\nHost: a\r\n\r\n", 505), ("GET / HTTP/1.1\r\nHost: a\r\nno field\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n", 431),
    ])
    func aHeadThatCannotBeReadIsRefusedOnce(_ request: String, _ status: Int) async throws {
        try await expectRefusal(of: request, status: status)
    }

    static let badTargets = [
        "/a\0b", "/a\u{1}b", "/a\u{7f}", "/a\u{e9}", "/%00x", "/a%00", "/a%2Fb", "/a%2fb", "/a%5Cb", "/a\\b", "/..",
        "/.",
        "/a/../b", "/a/./b", "/../../etc/passwd", "/%2e%2e/x", "/.%2E/x", "/%2e", "/a/%2e./b", "/%0d%0a", "/a%7f",
        "/a#b", "/%zz", "/%2", "/%", "/x?a=%00", "/x?a=%g0", "a", "a/b", "*", "http://b/", "http://", "https://a.b/x",
        "http://a@b/", "ftp://a/x",
    ]

    @Test(arguments: badTargets)
    func aTargetOfTwoMeaningsIsRefusedAndItsConnectionClosed(_ target: String) async throws {
        try await expectRefusal(of: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", status: 400)
    }

    @Test func anOverlongTargetIsRefused() async throws {
        let target = "/" + String(repeating: "a", count: 16 << 10)

        try await expectRefusal(of: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", status: 414)
    }

    @Test(arguments: [("TRACE", "/", 405), ("CONNECT", "a:1", 501)])
    func aMethodThatReflectsOrTunnelsIsRefused(_ method: String, _ target: String, _ status: Int) async throws {
        try await expectRefusal(of: "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n", status: status)
    }

    @Test func aRefusalIsRenderedByTheCaller() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.port = 0
        let server = try HTTPServer(
            configuration: configuration,
            refuse: { refusal, head in
                let text = "\(refusal.code.rawValue) \(head == nil)"
                return ServerResponse(
                    status: refusal.status,
                    headerFields: [.contentType: "application/problem+json"],
                    body: .bytes(Array(text.utf8))
                )
            },
            handler: echo
        )

        let response = try await fetch(server, "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response?.text == "bad-target true")
        #expect(response?.field("content-type") == "application/problem+json")
        await server.shutdown()
    }

    /// The hidden second request must stay unanswered, and no handler may run.
    private func expectRefusal(of request: String, status: Int, isOnce: Bool = true) async throws {
        try await withServer(handler: respondTeapot) { server in
            let port = server.port
            let text = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send(request + "GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
                return client.readToEnd()
            }
            #expect(text?.hasPrefix("HTTP/1.1 \(status) ") == true)
            #expect(text?.contains("Connection: close\r\n") == true)
            #expect(text?.contains("418") == false)
            #expect(!isOnce || text?.ranges(of: "HTTP/1.1 ").count == 1)
        }
    }
}

/// What no refused request may get.
private func respondTeapot(_ request: ServerRequest) async -> ServerResponse {
    ServerResponse(status: .init(code: 418))
}
