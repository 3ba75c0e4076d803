import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// A link that expired is replaced by hand: the bytes are kept, and the validator decides whether they count.
@Suite(.hangLimit)
struct LinkRefreshTests {
    private static let content = Content(size: 900_000)
    private static let cut: Int64 = 500_000

    /// A download whose link expired after half of the file.
    private static func withExpired(
        _ members: String = "",
        script: [Behaviour] = [.dropping(after: cut), .page(403)],
        _ body: (TestService, Origin, _ id: String) async throws -> Void
    ) async throws {
        let origin = Origin(content, script: script)
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/file?sig=1"), members)
            let stopped = try await service.advanceClock(by: .seconds(30)) {
                let download = try await service.record(id)
                return download.waitingFor == .credentials || download.state == .failed ? download : nil
            }
            #expect(stopped.error?.error.code == .authRequired)
            try await body(service, origin, id)
        }
    }

    private static func isWhole(_ service: TestService, _ id: String, _ content: Content = content) async throws -> Bool
    {
        try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)
        return try await service.request("GET", "/downloads/\(id)/file").body == content.allBytes
    }

    @Test(arguments: [false, true])
    func aNewLinkGoesOnAtTheSameByte(isPaused: Bool) async throws {
        try await Self.withExpired { service, origin, id in
            origin.serve("/new", Self.content)
            if isPaused { _ = try await service.request("PATCH", "/downloads/\(id)", #"{"action":"pause"}"#) }
            let action = isPaused ? #""action":"resume","# : ""
            let patch = #"{\#(action)"url":"\#(origin.url("/new?sig=2"))"}"#
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 200)
            #expect(try await Self.isWhole(service, id))
            let request = try #require(origin.requests.last)
            #expect(request.target == "/new?sig=2" && request.value(of: "if-range") == Self.content.etag)
            #expect(request.value(of: "range")?.hasPrefix("bytes=\(Self.cut)-") == true)
            #expect(try await service.record(id).generation == 1)
        }
    }

    @Test func anotherFileBehindTheNewLinkIsFetchedFromItsFirstByte() async throws {
        try await Self.withExpired { service, origin, id in
            origin.serve("/new", Self.content, script: [.version(1)])
            let patch = #"{"url":"\#(origin.url("/new"))"}"#
            _ = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(try await Self.isWhole(service, id, Self.content.at(version: 1)))
            #expect(try await service.record(id).generation == 2)
        }
    }

    @Test func aNewLinkOfAnotherOriginIsToldNothingOfTheFirst() async throws {
        let other = Origin(Self.content)
        defer { other.stop() }
        let members = #","authentication":{"scheme":"basic","username":"me","password":"p"},"cookies":{"a":"1"}"#
        try await Self.withExpired(members) { service, _, id in
            _ = try await service.request("PATCH", "/downloads/\(id)", #"{"url":"\#(other.url())"}"#)

            #expect(try await Self.isWhole(service, id))
            let request = try #require(other.requests.first)
            #expect(request.value(of: "authorization") == nil && request.value(of: "cookie") == nil)
            #expect(request.value(of: "range")?.hasPrefix("bytes=\(Self.cut)-") == true)
        }
    }

    @Test func otherCredentialsForTheSameLinkGoOnAtTheSameByteToo() async throws {
        let script: [Behaviour] = [.dropping(after: Self.cut), .page(401), .good]
        try await Self.withExpired(script: script) { service, origin, id in
            let patch = #"{"authentication":{"scheme":"bearer","token":"t2"}}"#
            _ = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(try await Self.isWhole(service, id))
            let request = try #require(origin.requests.last)
            #expect(request.value(of: "authorization") == "Bearer t2")
            #expect(request.value(of: "range")?.hasPrefix("bytes=\(Self.cut)-") == true)
        }
    }

    @Test func aLinkThatNeverWorkedIsReplacedAndRetried() async throws {
        try await Self.withExpired(script: [.page(403)]) { service, origin, id in
            origin.serve("/new", Self.content)
            let patch = #"{"action":"retry","url":"\#(origin.url("/new"))"}"#
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 200)
            #expect(try await Self.isWhole(service, id))
            #expect(try await service.record(id).run == 2)
        }
    }
}

/// A service that stops while it asks for another link.
@Suite(.hangLimit)
struct LinkStopTests {
    @Test func theNextStartAsksAgain() async throws {
        let content = Content(size: 900_000)
        let never = Signal()
        let origin = Origin(content, script: [.dropping(after: 500_000), .page(403)])
        origin.serve("/new", content)
        let reply = Behaviour { $0.response = .document(#"{"url":"\#(origin.url("/new"))"}"#) }
        let resolver = Origin(script: [.pace(.stallBeforeHead(until: never)), reply])
        defer {
            origin.stop()
            resolver.stop()
        }
        let folder = TemporaryFolder()
        let id = try await withService(folder: folder) { service in
            let id = try await service.add(origin.url(), #","refresh_url":"\#(resolver.url())""#)
            try await service.advanceClock(by: .seconds(1)) { resolver.requests.isEmpty ? nil : () }
            return id
        }

        try await withService(folder: folder) { service in
            let download = try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)
            #expect(download.state == .completed && download.run == 1 && download.generation == 1)
            #expect(resolver.requests.count == 2)
            #expect(origin.requests.last?.value(of: "range")?.hasPrefix("bytes=500000-") == true)
        }
    }
}

/// Whoever is asked for another link can tell who asks, as the receiver of a webhook can.
@Suite(.hangLimit)
struct LinkSignatureTests {
    @Test func aQuestionForALinkIsSignedAsADeliveryIs() async throws {
        let origin = Origin(script: [.page(403)])
        defer { origin.stop() }
        origin.serve("/fresh", Content(size: 1), script: [.page(410)])
        try await withService { service in
            let id = try await service.add(origin.url(), #","refresh_url":"\#(origin.url("/fresh"))""#)
            try await service.wait(id, .failed)

            let request = try #require(origin.deliveries.first)
            let secret = try #require(WebhookSecret(TestService.secretText))
            #expect(request.type == "link.refused" && request.id.hasPrefix("evt_"))
            #expect(
                request.signature
                    == secret.signature(id: request.id, timestamp: request.timestamp, body: request.request.body)
            )
        }
    }
}
