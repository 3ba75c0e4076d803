import API
import ServiceSupport
import TestSupport
import Testing

/// `GET /downloads/{id}` and `POST /downloads` that wait.
@Suite(.hangLimit)
struct WaitTests {
    private static let patience = [("Prefer", "wait=30")]

    /// Waits for a goal, and acts once the request waits.
    private static func waiting(
        _ query: String,
        fields: [(String, String)] = patience,
        _ act: (TestService, String) async throws -> Void
    ) async throws -> ReceivedResponse {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/")
            async let response = service.request("GET", "/downloads/\(id)?\(query)", fields: fields)
            try await service.hasWaiters(1)
            try await act(service, id)
            return try await response
        }
    }

    @Test func aWaitEndsWithTheDownload() async throws {
        let response = try await Self.waiting("until=terminal") { service, id in
            for action in ["pause", "resume", "cancel"] { try await service.act(action, on: id) }
        }

        #expect(response.status == 200)
        #expect(response["preference-applied"] == "wait=30")
        #expect(try response.json["state"]?.text == "cancelled")
        #expect(response["etag"] != nil)
    }

    @Test(arguments: ["until=change", "until=change&after_revision=1"])
    func aWaitEndsWithAnyChange(_ query: String) async throws {
        let response = try await Self.waiting(query) { service, id in
            _ = try await service.request("PATCH", "/downloads/\(id)", #"{"labels":{"a":"b"}}"#)
        }

        #expect(try response.json["counters"]?["revision"]?.integer == 2)
    }

    @Test func aWaitEndsAtItsTimeout() async throws {
        let response = try await Self.waiting("until=terminal", fields: [("Prefer", "respond-async, wait=600")]) {
            service,
            _ in
            try await service.advanceClock(by: .seconds(60)) { service.hub.waiterCount == 0 ? () : nil }
        }

        #expect(response["preference-applied"] == "wait=60")
        #expect(try response.json["state"]?.text == "queued")
    }

    @Test func aWaitEndsWithTheDeletionOfTheRecord() async throws {
        let response = try await Self.waiting("until=terminal") { service, id in
            _ = try await service.request("DELETE", "/downloads/\(id)?force=true")
        }

        #expect([200, 404].contains(response.status))
    }

    @Test func aServiceThatStopsAnswersAtOnce() async throws {
        let service = try await TestService(
            .with { $0.runsScheduler = false },
            folder: TemporaryFolder(),
            time: ManualTime()
        )
        let id = try await service.add("http://a.example/")
        async let response = service.send("GET", "/downloads/\(id)?until=terminal", fields: Self.patience)
        try await service.hasWaiters(1)

        try await service.stop()
        let ended = try await response
        #expect(ended.status == 200)
        #expect(try ended.json["state"]?.text == "queued")
    }

    @Test(arguments: [
        ("until=change&after_revision=0", "wait=30", true), ("until=terminal", "wait=0", true),
        ("until=terminal", "", false), ("until=terminal", "wait=x", false), ("until=terminal", "respond-async", false),
        ("", "wait=30", false), ("after_revision=1", "wait=30", false),
    ])
    func aRequestThatNeedNotWaitReturnsAtOnce(_ query: String, _ prefer: String, isApplied: Bool) async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/")

            let response = try await service.request("GET", "/downloads/\(id)?\(query)", fields: [("Prefer", prefer)])

            #expect(response.status == 200)
            #expect((response["preference-applied"] != nil) == isApplied)
        }
    }

    @Test(arguments: [
        "until=done", "until=", "until=change&after_revision=x",
    ])
    func anotherGoalIsRefused(_ query: String) async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/")

            let response = try await service.request("GET", "/downloads/\(id)?\(query)", fields: Self.patience)

            #expect(response.status == 400)
        }
    }

    @Test func aPlaceToWaitIsFreeAgainAfterIt() async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.streams = StreamSettings(waiterLimit: 1)
        }
        try await withService(options) { service in
            let id = try await service.add("http://a.example/")
            let target = "/downloads/\(id)?until=terminal"
            async let first = service.request("GET", target, fields: Self.patience)
            try await service.hasWaiters(1)

            let second = try await service.request("GET", target, fields: Self.patience)
            #expect(second.status == 200)
            #expect(second["preference-applied"] == nil)
            try await service.act("cancel", on: id)
            #expect(try await first["preference-applied"] == "wait=30")
            #expect(service.hub.waiterCount == 0)
        }
    }

    // MARK: - POST /downloads

    private static let draft = #"{"url":"http://a.example/","dedupe_key":"k"}"#

    /// Posts, and acts on the download once the request waits for its end.
    private static func posting(
        _ fields: [(String, String)] = patience,
        _ act: (TestService, String) async throws -> Void
    ) async throws -> ReceivedResponse {
        try await withService(.with { $0.runsScheduler = false }) { service in
            async let response = service.request("POST", "/downloads", draft, fields: fields)
            try await service.hasWaiters(1)
            let id = try #require(
                try await service.request("GET", "/downloads").json["items"]?.items.first?["id"]?.text
            )
            try await act(service, id)
            return try await response
        }
    }

    @Test func aPostIsAnsweredWithTheDownloadAsItEnded() async throws {
        let response = try await Self.posting { service, id in
            for action in ["pause", "resume", "cancel"] { try await service.act(action, on: id) }
        }

        #expect(response.status == 201)
        #expect(response["preference-applied"] == "wait=30")
        #expect(try response.json["state"]?.text == "cancelled")
        #expect(response["etag"]?.hasPrefix("\"4.") == true)
        #expect(try response["location"] == "/downloads/\(response.json["id"]?.text ?? "")")
    }

    @Test func aPostWaitsNoLongerThanItSays() async throws {
        let response = try await Self.posting { service, _ in
            try await service.advanceClock(by: .seconds(30)) { service.hub.waiterCount == 0 ? () : nil }
        }

        #expect(response.status == 201)
        #expect(try response.json["state"]?.text == "queued")
    }

    @Test func aPostWhoseDownloadIsDeletedMeanwhileIsAnsweredAsItWasMade() async throws {
        let response = try await Self.posting { service, id in
            _ = try await service.request("DELETE", "/downloads/\(id)?force=true")
        }

        #expect(response.status == 201)
        #expect(try response.json["state"]?.text == "queued" || response.json["state"]?.text == "cancelled")
    }

    @Test(arguments: [("Idempotency-Key", 201), ("X-Request-Id", 200)])
    func aPostThatCameBeforeWaitsToo(_ name: String, status: Int) async throws {
        let fields = [(name, "key")]
        try await withService(.with { $0.runsScheduler = false }) { service in
            let first = try await service.request("POST", "/downloads", Self.draft, fields: fields)
            let id = try #require(try first.json["id"]?.text)
            async let again = service.request("POST", "/downloads", Self.draft, fields: fields + Self.patience)
            try await service.hasWaiters(1)
            try await service.act("cancel", on: id)

            let response = try await again
            #expect(response.status == status)
            #expect(try response.json["id"]?.text == id)
            #expect(try response.json["state"]?.text == "cancelled")
            #expect((response["idempotency-replayed"] != nil) == (status == 201))
            let plain = try await service.request("POST", "/downloads", Self.draft, fields: fields)
            #expect(plain["preference-applied"] == nil)
        }
    }

    /// It is what the service does with any request, and says so (RFC 7240, section 4.1).
    @Test(arguments: [
        ("respond-async", "respond-async"), ("Respond-Async, wait=0", "respond-async, wait=0"), ("async", nil),
    ])
    func aPostThatNeedNotWaitIsToldSo(_ prefer: String, _ applied: String?) async throws {
        try await withIdleService { service in
            let response = try await service.request("POST", "/downloads", Self.draft, fields: [("Prefer", prefer)])

            #expect(response.status == 201)
            #expect(response["preference-applied"] == applied)
        }
    }

    @Test(arguments: [#"{"url":"ftp:"}"#, "{"])
    func aPostThatIsRefusedDoesNotWait(_ body: String) async throws {
        try await withIdleService { service in
            let response = try await service.request("POST", "/downloads", body, fields: Self.patience)

            #expect(response.status == 400)
            #expect(response["preference-applied"] == nil)
        }
    }
}
