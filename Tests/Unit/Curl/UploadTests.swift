import Curl
import Linux
import TestSupport
import Testing
import URLs

/// Uploads to servers that do what they should.
@Suite(.hangLimit)
struct UploadTests {
    @Test(arguments: [0, 1, 64 << 10, (64 << 10) + 1, 5 << 20])
    func aRangeOfAFileIsSentWithItsExactLength(_ count: Int) async throws {
        try await withOrigin { origin, loop in
            let content = Content(size: 6 << 20)
            let body = try uploadBody(content, 1000..<Int64(1000 + count))
            let exchange = try await loop.start(request(origin.url()) { $0.method = .upload(body) })
            _ = try await exchange.receive(into: RecordingSink())

            let sent = origin.requests[0]
            #expect(sent.method == "PUT")
            expectBytes(sent.body, content, 1000..<Int64(1000 + count))
            #expect(
                sent.fieldLines.filter { $0.lowercased().hasPrefix("content-length") } == ["Content-Length: \(count)"]
            )
            #expect(sent.value(of: "transfer-encoding") == nil)
            #expect(sent.value(of: "expect") == nil)
            #expect(sent.value(of: "content-type") == nil)
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func bytesInMemoryAreSentWithAnyMethod(_ method: String) async throws {
        try await withOrigin { origin, loop in
            let content = Content(size: 200_000)
            _ = try await loop.start(
                request(origin.url()) { $0.method = .upload(method: method, UploadBody(bytes: content.allBytes)) }
            )

            #expect(origin.requests[0].method == method)
            expectBytes(origin.requests[0].body, content)
        }
    }

    @Test func otherRequestsFollowAnUploadOnItsConnection() async throws {
        try await withOrigin { origin, loop in
            let body = UploadBody(bytes: Content(size: 200_000).allBytes)
            for method in [.upload(body), .get, .upload(body), .post(body: [1])] as [TransferRequest.Method] {
                _ = try await loop.start(request(origin.url()) { $0.method = method }).receive(into: RecordingSink())
            }

            #expect(origin.requests.map(\.method) == ["PUT", "GET", "PUT", "POST"])
            #expect(origin.requests.map(\.body.count) == [200_000, 0, 200_000, 1])
            #expect(origin.connectionCount == 1)
        }
    }

    /// The first challenge comes to a request without a body (`CURLOPT_HTTPAUTH`), a stale nonce to one with a body.
    @Test func digestChallengesAreAnsweredWithTheWholeBody() async throws {
        func challenge(_ nonce: String) -> Behaviour {
            Behaviour {
                $0.response = .page(status: 401)
                $0.extraFields = [
                    "WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce=\(nonce)"
                ]
            }
        }
        try await withOrigin(script: [challenge("\"n\""), challenge("\"m\", stale=true"), .good]) { origin, loop in
            let content = Content(size: 300_000)
            let body = try uploadBody(content, 0..<300_000)
            let exchange = try await loop.start(
                request(origin.url()) {
                    $0.method = .upload(body)
                    $0.credentials = .init(.digest, user: "u", password: "p")
                }
            )

            #expect(exchange.head.status == 200)
            #expect(origin.requests.map(\.body.count) == [0, 300_000, 300_000])
            for request in origin.requests[1...] { expectBytes(request.body, content) }
        }
    }

    @Test(arguments: [301, 303, 307, 308])
    func aRedirectIsNotFollowed(_ status: Int) async throws {
        try await withOrigin(script: [.redirect(status, to: "/other")]) { origin, loop in
            let body = UploadBody(bytes: [1, 2, 3])
            let exchange = try await loop.start(request(origin.url()) { $0.method = .upload(body) })
            _ = try await exchange.receive(into: RecordingSink())

            #expect(exchange.head.status == status)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: ["Content-Length", "transfer-encoding", "Expect"])
    func aFieldOfItsOwnThatFramesTheBodyIsRefused(_ name: String) async throws {
        try await expectRefusal { $0.headers = [HeaderField(name, "1")] }
    }

    @Test func aRangeIsRefused() async throws {
        try await expectRefusal { $0.range = .from(1) }
    }

    @Test func aMethodThatCouldInjectIsRefused() async throws {
        try await expectRefusal { $0.method = .upload(method: "A\r\nB", UploadBody(bytes: [1])) }
    }

    private func expectRefusal(_ change: (inout TransferRequest) -> Void) async throws {
        try await withOrigin { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(
                    request(origin.url()) {
                        $0.method = .upload(UploadBody(bytes: [1]))
                        change(&$0)
                    }
                )
            }

            #expect(code == .badHeader)
            #expect(origin.connectionCount == 0)
        }
    }

    @Test func onlyHTTPHasUploads() async throws {
        let server = FTPServer(Content(size: 10))
        defer { server.stop() }
        let loop = TransferLoop()
        let url = try GivenURL(parsing: server.url(), schemes: URLScheme.all).url
        var request = try #require(TransferRequest(to: url))
        request.allowedSchemes = URLScheme.all
        request.method = .upload(UploadBody(bytes: [1]))

        #expect(await curlCode { _ = try await loop.start(request) } == .badHeader)
        await loop.shutdown()
    }
}
