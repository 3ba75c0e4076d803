import Curl
import TestSupport
import Testing

/// What is known when the head is here, and what keeps it from coming.
@Suite struct HeadTests {
    @Test func theHeadComesBeforeTheBody() async throws {
        let isReleased = Signal()
        try await withOrigin(script: [.pace(.stall(after: 0, until: isReleased))]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))

            #expect(exchange.head.status == 200)
            #expect(exchange.head.version == .http1_1)
            #expect(exchange.head.contentLength == 1000)
            #expect(exchange.head.values(of: "etag") == [Content(size: 1000).etag])
            #expect(exchange.head.remoteAddress == SocketAddress("127.0.0.1", port: origin.port))
            isReleased.fire()
        }
    }

    @Test func interimResponsesAreSkipped() async throws {
        try await withOrigin(script: [.interimResponses(3)]) { origin, loop in
            let head = try await loop.start(request(origin.url())).head

            #expect(head.status == 200)
            #expect(head.values(of: "link").isEmpty)
        }
    }

    /// libcurl 7.88.1 continues the last field of the handle's previous response, whose memory is free
    /// (https://github.com/curl/curl/commit/cd1c611b24). A line that continues nothing is no field (RFC 9112, 5.2).
    @Test(arguments: [" X: y", "\tX: y"])
    func aFirstFieldThatContinuesNothingIsNoAnswerWhateverWasAskedBefore(_ line: String) async throws {
        let folded = Behaviour { $0.leadingFields = [line] }
        try await withOrigin(script: [.good, folded, .good]) { origin, loop in
            _ = try await loop.start(request(origin.url())).receive(into: RecordingSink())

            let code = await curlCode { _ = try await loop.start(request(origin.url())) }
            #expect(code == .weirdReply || code == .headMalformed)
            #expect(try await loop.start(request(origin.url())).head.status == 200)
        }
    }

    @Test(arguments: [204, 304])
    func aResponseWithoutABodyHasAHeadAndAnEnd(_ status: Int) async throws {
        try await withOrigin(script: [.page(status)]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            let end = try await exchange.receive(into: RecordingSink())

            #expect(exchange.head.status == status)
            #expect(end.bytesReceived == 0)
        }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        try await withOrigin(script: [.redirect(302, to: "/elsewhere")]) { origin, loop in
            let head = try await loop.start(request(origin.url())).head

            #expect(head.status == 302)
            #expect(head.single("location") == "/elsewhere")
            #expect(origin.requests.map(\.target) == ["/file"])
        }
    }

    @Test(arguments: [Behaviour.Framing.closeDelimited, .chunked])
    func aBodyThatOnlyItsEndDelimitsHasNoLength(_ framing: Behaviour.Framing) async throws {
        try await withOrigin(script: [.framing(framing)]) { origin, loop in
            let head = try await loop.start(request(origin.url())).head

            #expect(head.contentLength == nil)
        }
    }

    @Test func aValueThatIsNotUTF8IsReadAsLatin1() async throws {
        let field = "X-Name:   b\u{FC}cher  "
        try await withOrigin(script: [.fields([field])]) { origin, loop in
            let head = try await loop.start(request(origin.url())).head

            #expect(head.single("x-name") == "b\u{FC}cher")
        }
    }

    @Test(arguments: [
        [String](repeating: "X-Flood: 1", count: 1000),
        ["X-Long: \(String(repeating: "a", count: 90_000))", "X-Long: \(String(repeating: "b", count: 90_000))"],
    ])
    func aFloodOfHeaderFieldsIsRefused(_ fields: [String]) async throws {
        try await withOrigin(script: [.fields(fields)]) { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(request(origin.url()) { $0.headLimits = HeadLimits(bytes: 128 << 10) })
            }

            #expect(code == .headTooLarge)
        }
    }

    /// Whoever asks: a download, a webhook, or who gives links.
    @Test(arguments: [
        "Transfer-Encoding : chunked", "Content-Length\t: 5", "\u{B}Content-Length: 5", "Content-Length\u{A0}: 5",
        "\rX: y",
    ])
    func aHeadThatTwoReadDifferentlyIsRefused(_ field: String) async throws {
        try await withOrigin(script: [.fields([field])]) { origin, loop in
            let code = await curlCode { _ = try await loop.start(request(origin.url())) }

            // From version 8.22, libcurl refuses some of them by itself.
            #expect(code == .headMalformed || code == .weirdReply)
        }
    }

    /// Up to version 8.20, libcurl reads only the first line of them. Version 8.22 unfolds a field before it reads it
    /// and passes it on, so that the body has the end that both read in it.
    @Test(arguments: ["Transfer-Encoding:\r\n chunked", "Content-Length: 1\r\n 000", "Content-Length:\r\n 7"])
    func aFoldedFieldThatDelimitsTheBodyNeverCompletesAnotherBody(_ field: String) async throws {
        try await withOrigin(script: [.fields([field])]) { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(request(origin.url())).receive(into: RecordingSink())
            }

            let refusals: [CurlError.Code] = [.headMalformed, .weirdReply, .lengthMalformed, .chunkMalformed]
            #expect(refusals.contains { $0 == code })
        }
    }

    @Test(arguments: ["HTTP/1.1 \t200 OK", "HTTP/x 200 OK", "HTTP/1.1 200OK", "HTTP/x 204 206", "HTTP/1.1 2 00"])
    func aStatusLineThatIsNoneIsRefused(_ line: String) async throws {
        let response = Array("\(line)\r\nContent-Length: 0\r\n\r\n".utf8)
        try await withOrigin(script: [Behaviour { $0.response = .raw(response) }]) { origin, loop in
            let code = await curlCode { _ = try await loop.start(request(origin.url())) }

            // libcurl refuses some of them by itself (CURLE_UNSUPPORTED_PROTOCOL).
            #expect([.headMalformed, .curl(1), .weirdReply].contains { $0 == code })
        }
    }

    @Test func aNameThatIsNoTokenIsPassedOverWithWhatIsFolded() async throws {
        let fields = ["X Y: a", " folded", "X-Kept: c", "\td", "X-Trailing : e"]
        try await withOrigin(script: [.fields(fields)]) { origin, loop in
            let head = try await loop.start(request(origin.url())).head

            #expect(head.single("x-kept") == "c d")
            #expect(head.fields.allSatisfy { !$0.value.contains("folded") && !$0.name.contains(" ") })
            #expect(head.single("x-trailing") == nil)
        }
    }

    /// libcurl refuses it by itself, before a limit of ours does, with a code that depends on its version.
    @Test func aFieldOfAMegabyteIsRefused() async throws {
        let field = "X-Long: \(String(repeating: "a", count: 1 << 20))"
        try await withOrigin(script: [.fields([field])]) { origin, loop in
            let code = await curlCode { _ = try await loop.start(request(origin.url())) }

            #expect(code == .headTooLarge)
        }
    }

    @Test func endlessInterimResponsesAreRefused() async throws {
        try await withOrigin(script: [.interimResponses(1000)]) { origin, loop in
            let code = await curlCode { _ = try await loop.start(request(origin.url())) }

            #expect(code == .headTooLarge)
        }
    }

    @Test func aHeadThatDoesNotComeTimesOut() async throws {
        try await withOrigin(script: [.pace(.stallBeforeHead(until: Signal()))]) { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(request(origin.url()) { $0.headTimeout = .milliseconds(100) })
            }

            #expect(code == .headTimeout)
        }
    }

    /// Each wait is shorter than the limit, and all together are longer.
    @Test func interimResponsesAreNoSilence() async throws {
        let slow = Behaviour { ($0.interimResponseCount, $0.interimPause) = (8, .milliseconds(500)) }
        try await withOrigin(script: [slow]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()) { $0.headTimeout = .seconds(3) })
            await exchange.discard()

            #expect(exchange.head.status == 200)
        }
    }

    @Test func aConnectionClosedAtOnceIsAnEmptyReply() async throws {
        let behaviour = Behaviour { $0.ending = .closedAtOnce(by: .fin) }
        try await withOrigin(script: [behaviour]) { origin, loop in
            #expect(await curlCode { _ = try await loop.start(request(origin.url())) } == .gotNothing)
        }
    }

    @Test func aClosedPortIsAFailedConnection() async throws {
        let loop = TransferLoop()

        #expect(await curlCode { _ = try await loop.start(request("http://127.0.0.1:1/")) } == .couldNotConnect)
    }
}
