import Curl
import TestSupport
import Testing
import URLs

/// What is sent, and what is not.
@Suite struct RequestTests {
    @Test(arguments: [
        (ByteRange.bytes(10...19), "bytes=10-19", Int64(10)),
        (.bytes(0...0), "bytes=0-0", 1),
        (.from(990), "bytes=990-", 10),
    ])
    func aRangeIsSentAsAsked(_ range: ByteRange, _ text: String, _ count: Int64) async throws {
        try await withOrigin { origin, loop in
            let exchange = try await loop.start(request(origin.url()) { $0.range = range })
            let end = try await exchange.receive(into: RecordingSink())

            #expect(origin.requests[0].value(of: "range") == text)
            #expect(exchange.head.status == 206)
            #expect(end.bytesReceived == count)
        }
    }

    @Test func fieldsAreSentInOrderAndNothingOfOurOwnIsAdded() async throws {
        try await withOrigin { origin, loop in
            let fields = [
                HeaderField("X-B", "1"), HeaderField("X-A", "2"), HeaderField("X-B", ""), HeaderField("X-C", "a\tb"),
            ]
            _ = try await loop.start(request(origin.url()) { $0.headers = fields })

            let lines = origin.requests[0].fieldLines
            #expect(lines.filter { $0.hasPrefix("X-") } == ["X-B: 1", "X-A: 2", "X-B:", "X-C: a\tb"])
            #expect(!lines.contains { $0.lowercased().hasPrefix("user-agent") })
            #expect(!lines.contains { $0.lowercased().hasPrefix("accept-encoding") })
        }
    }

    @Test(arguments: [
        HeaderField("X-A", "b\r\nX-Injected: yes"), HeaderField("X-A", "b\nc"), HeaderField("X-A", "b\0c"),
        HeaderField("X-A\r\nX-Injected", "yes"), HeaderField("X A", "b"), HeaderField("X-A:", "b"),
        HeaderField("", "b"),
        HeaderField("X-\u{E4}", "b"), HeaderField("X-A", "b\u{7F}"), HeaderField("X-A", "\r\n"),
    ])
    func aFieldThatCouldInjectIsRefusedAndNothingIsSent(_ field: HeaderField) async throws {
        try await withOrigin { origin, loop in
            let code = await curlCode { _ = try await loop.start(request(origin.url()) { $0.headers = [field] }) }

            #expect(code == .badHeader)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [[], Array("{\"a\":1}".utf8), [UInt8](repeating: 65, count: 100_000)])
    func aPostCarriesItsBodyAndAsksForNoContinue(_ body: [UInt8]) async throws {
        try await withOrigin { origin, loop in
            _ = try await loop.start(request(origin.url()) { $0.method = .post(body: body) })

            let sent = origin.requests[0]
            #expect(sent.method == "POST")
            #expect(sent.body == body)
            #expect(sent.value(of: "expect") == nil)
            #expect(sent.value(of: "content-type") == nil)
        }
    }

    @Test func credentialsAreSentAndThoseInTheURLAreNot() async throws {
        try await withOrigin { origin, loop in
            let text = "http://other:secret@127.0.0.1:\(origin.port)/"
            _ = try await loop.start(request(text))
            _ = try await loop.start(request(text) { $0.credentials = .init(user: "Aladdin", password: "open sesame") })

            #expect(origin.requests[0].value(of: "authorization") == nil)
            #expect(origin.requests[1].value(of: "authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        }
    }

    @Test(arguments: [("a:b", "c"), ("a\0b", "c"), ("a", "b\0c")])
    func credentialsThatCWouldReadOtherwiseAreRefused(_ user: String, _ password: String) async throws {
        try await withOrigin { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(
                    request(origin.url()) { $0.credentials = .init(user: user, password: password) }
                )
            }

            #expect(code == .badHeader)
        }
    }

    @Test func aSchemeThatIsNotAllowedIsRefused() async throws {
        try await withOrigin { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(request(origin.url()) { $0.allowedSchemes = [.https] })
            }

            #expect(code == .curl(1))
            #expect(origin.connectionCount == 0)
        }
    }

    /// A signature of the URL may cover every character.
    @Test func thePathAndTheQueryAreSentAsTheyStand() async throws {
        try await withOrigin { origin, loop in
            for target in ["/a//b/%2E%2f'?q=%20'#fragment", "/a?", "/a??b=\\", "/..."] {
                _ = try await loop.start(request(origin.base + target))
            }

            #expect(origin.requests.map(\.target) == ["/a//b/%2E%2f'?q=%20'", "/a?", "/a??b=\\", "/..."])
        }
    }

    @Test func theEnvironmentsProxyIsIgnored() async {
        // The environment belongs to the whole process, so another one is spoilt.
        await #expect(processExitsWith: .success) {
            setEnvironment("http_proxy", "http://127.0.0.1:1")
            setEnvironment("all_proxy", "http://127.0.0.1:1")
            try await withOrigin { origin, loop in
                _ = try await loop.start(request(origin.url()))
                precondition(origin.requests.count == 1)
            }
        }
    }
}
