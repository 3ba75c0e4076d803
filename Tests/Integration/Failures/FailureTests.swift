import Core
import Service
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// What each kind of failure makes of a download, and what lets it go on.
@Suite(.hangLimit)
struct FailureTests {
    private static func with(
        _ script: [Behaviour],
        size: Int64 = 1000,
        _ options: TestService.Options = TestService.Options(),
        _ body: (TestService, Origin) async throws -> Void
    ) async throws {
        let origin = Origin(Content(size: size), script: script)
        defer { origin.stop() }
        try await withService(options) { try await body($0, origin) }
    }

    @Test func anOverloadedOriginIsLeftAloneAsLongAsItAsks() async throws {
        try await Self.with([.unavailable(retryAfter: "120"), .good]) { service, origin in
            let start = service.time.now
            let id = try await service.add(origin.url("/a"))
            let waiting = try await service.wait(id, .waiting)
            let other = try await service.add(origin.url("/b"))

            #expect(waiting.waitingFor == .host)
            #expect(waiting.error?.error.code == .httpServerError)
            #expect(try #require(waiting.times.nextAttemptAt) >= start + .seconds(120))
            let download = try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
            let second = try await service.advanceClock(by: .seconds(5), until: other, .completed, .failed)
            #expect(download.state == .completed)
            #expect(try #require(second.times.startedAt) >= start + .seconds(120))
            #expect(origin.requests.count == 3)
        }
    }

    @Test(arguments: [0, 1, 3])
    func aMissingFileIsRequestedAgainAsOftenAsTheSettingSays(_ retries: Int) async throws {
        try await Self.with([.page(404)], .with { $0.jobs.notFoundRetries = retries }) { service, origin in
            let start = service.time.now
            let id = try await service.add(origin.url("/a"))
            let download = try await service.advanceClock(by: .seconds(5), until: id, .failed)

            #expect(download.error?.error.code == .fileNotFound)
            #expect(download.error?.error.httpStatus == 404)
            #expect(origin.requests.count == 1 + retries)
            #expect(service.time.now >= start + .seconds(30 * retries))
        }
    }

    @Test func aFileThatAppearsWithinHalfAMinuteIsFetched() async throws {
        try await Self.with([.page(404), .good]) { service, origin in
            let id = try await service.add(origin.url("/a"))
            let waiting = try await service.wait(id, .waiting)
            let download = try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)

            #expect(waiting.error?.error.code == .fileNotFound)
            #expect(download.state == .completed)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func anOriginThatIsDownIsGivenUpAfterItsTime() async throws {
        let nobody = ClosedPort()
        defer { withExtendedLifetime(nobody) {} }
        try await withService(.with { $0.jobs.giveUpAfter = .seconds(600) }) { service in
            let start = service.time.now
            let id = try await service.add(nobody.url("/a"))
            #expect(try await service.wait(id, .waiting).waitingFor == .retry)
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed)

            #expect(download.error?.error.code == .connectFailed)
            #expect(service.time.now >= start + .seconds(600))
        }
    }

    @Test func aDownloadMayBeGivenUpEarlier() async throws {
        let nobody = ClosedPort()
        defer { withExtendedLifetime(nobody) {} }
        try await withService { service in
            let start = service.time.now
            let id = try await service.add(nobody.url("/a"), #","timeouts":{"give_up_seconds":600}"#)
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed)

            #expect(download.error?.error.code == .connectFailed)
            #expect(service.time.now >= start + .seconds(600) && service.time.now < start + .seconds(3600))
        }
    }

    @Test func aStatusOfTheRequestsListIsRetried() async throws {
        try await Self.with([.page(418), .good]) { service, origin in
            let id = try await service.add(origin.url("/a"), #","retry":{"statuses":[418]}"#)
            let download = try await service.advanceClock(by: .seconds(10), until: id, .completed, .failed)

            #expect(download.state == .completed)
        }
    }

    @Test func anOriginThatBreaksOffAndCannotGoOnIsAskedLessAndLess() async throws {
        let cut = Behaviour {
            $0.validators = .absent
            $0.ending = .cut(after: 500, by: .fin)
        }
        try await Self.with([cut], .with { $0.jobs.giveUpAfter = .seconds(600) }) { service, origin in
            let start = service.time.now
            let id = try await service.add(origin.url("/a"))
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed)

            #expect(download.error?.error.code == .connectFailed)
            #expect(service.time.now >= start + .seconds(600))
            #expect((3...100).contains(origin.requests.count))
            #expect(download.attempts.restarts == 0)
        }
    }

    @Test func aHostsOtherDownloadsWaitAnHourAtMost() async throws {
        try await Self.with([.unavailable(retryAfter: "86400"), .good]) { service, origin in
            let start = service.time.now
            let id = try await service.add(origin.url("/a"))
            let waiting = try await service.wait(id, .waiting)
            let other = try await service.add(origin.url("/b"))
            let second = try await service.advanceClock(by: .seconds(60), until: other, .completed, .failed)

            #expect(try #require(waiting.times.nextAttemptAt) >= start + .seconds(86_400))
            let begun = try #require(second.times.startedAt)
            #expect(begun >= start + .seconds(3600) && begun <= start + .seconds(7200))
            #expect(try await service.record(id).state == .waiting)
        }
    }

    @Test func theHostThatAskedIsLeftAloneAndNotTheOneThatLedToIt() async throws {
        let mirror = Origin(Content(size: 1000), script: [.unavailable(retryAfter: "600")])
        defer { mirror.stop() }
        try await Self.with([.redirect(to: mirror.url("/x")), .good]) { service, origin in
            let id = try await service.add(origin.url("/a"))
            try await service.wait(id, .waiting)
            let other = try await service.add(origin.url("/b"))
            let queued = try await service.add(mirror.url("/c"))

            try await service.wait(other, .completed)
            #expect(try await service.record(queued).state == .queued)
        }
    }

    @Test func aFolderThatIsAFileFailsADownloadAtOnce() async throws {
        try await Self.with([.good]) { service, origin in
            let first = try await service.add(origin.url("/a"))
            try await service.wait(first, .completed)
            let id = try await service.add(origin.url("/b"), #","directory":"a""#)
            let download = try await service.wait(id, .failed, .waiting)

            #expect(download.state == .failed)
            #expect(download.error?.error.code == .ioError)
        }
    }

    @Test func attemptsMayBeCounted() async throws {
        try await Self.with([.page(503)]) { service, origin in
            let id = try await service.add(origin.url("/a"), #","max_attempts":3"#)
            try await service.advanceClock(by: .seconds(10), until: id, .failed)

            #expect(origin.requests.count == 3)
        }
    }

    @Test func missingCredentialsFailADownloadThatHasNoBytes() async throws {
        try await Self.with([.page(401)]) { service, origin in
            let id = try await service.add(origin.url("/a"))

            #expect(try await service.wait(id, .failed).error?.error.code == .authRequired)
        }
    }

    @Test func expiredCredentialsHoldADownloadThatHasBytesUntilItGetsANewURL() async throws {
        try await Self.with([.dropping(after: 500), .page(403), .good]) { service, origin in
            let id = try await service.add(origin.url("/a?sig=1"))
            let waiting = try await service.advanceClock(by: .seconds(1)) {
                let download = try await service.record(id)
                return download.waitingFor == .credentials ? download : nil
            }

            #expect(waiting.progress.durableBytes == 500)
            let changed = try await service.send(
                "PATCH",
                "/downloads/\(id)",
                #"{"action":"resume","url":"\#(origin.url("/a?sig=2"))"}"#
            )
            #expect(changed.status == 200)
            try await service.wait(id, .completed)
            #expect(origin.requests.last?.target == "/a?sig=2")
            #expect(origin.requests.last?.value(of: "range") == "bytes=500-999")
        }
    }

    @Test func aFullDiskHoldsADownload() async throws {
        try await Self.with([.good], size: 2 << 20, .with { $0.engine.minFreeBytes = 1 << 60 }) { service, origin in
            let id = try await service.add(origin.url("/a"))
            let waiting = try await service.wait(id, .waiting, .failed)

            #expect(waiting.waitingFor == .space)
            #expect(waiting.error?.error.code == .diskFull)
        }
    }

    @Test func aDeadlineBeforeTheNextAttemptFailsADownloadAtOnce() async throws {
        try await Self.with([.unavailable(retryAfter: "3600")]) { service, origin in
            let id = try await service.add(origin.url("/a"), #","deadline_at":"2026-01-01T00:30:00Z""#)

            #expect(try await service.wait(id, .failed, .waiting).error?.error.code == .deadlineExceeded)
        }
    }

    @Test func aDownloadThatGetsNoSlotInTimeFails() async throws {
        let gate = Signal()
        try await Self.with([.pace(.stallBeforeHead(until: gate))], .with { $0.jobs.maxConcurrent = 1 }) {
            service,
            origin in
            try await service.add(origin.url("/first"))
            await origin.requests(atLeast: 1)
            let id = try await service.add(origin.url("/second"), #","deadline_at":"2026-01-01T00:30:00Z""#)
            let paused = try await service.add(
                origin.url("/third"),
                #","start":false,"deadline_at":"2026-01-01T00:30:00Z""#
            )
            let download = try await service.advanceClock(by: .seconds(60), until: id, .failed)

            #expect(download.error?.error.code == .deadlineExceeded)
            #expect(try await service.record(paused).state == .paused)
        }
    }

    @Test func anotherSizeThanExpectedFails() async throws {
        try await Self.with([.good]) { service, origin in
            let id = try await service.add(origin.url("/a"), #","expected":{"size_bytes":999}"#)
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)

            #expect(download.error?.error.code == .sizeMismatch)
        }
    }

    @Test func anotherDigestThanExpectedFails() async throws {
        let digest = String(repeating: "0", count: 64)
        try await Self.with([.good]) { service, origin in
            let id = try await service.add(origin.url("/a"), #","expected":{"digests":{"sha-256":"\#(digest)"}}"#)
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)

            #expect(download.error?.error.code == .checksumMismatch)
            #expect(try service.files == [])
        }
    }

    @Test func aLargerFileThanAllowedFails() async throws {
        try await Self.with([.good]) { service, origin in
            let id = try await service.add(origin.url("/a"), #","limits":{"max_bytes":999}"#)
            let download = try await service.wait(id, .failed, .completed)

            #expect(download.error?.error.code == .tooLarge)
        }
    }

    /// Or whoever may make downloads could find out which names the network of the service has.
    @Test func aNameThatLeadsToAPrivateAddressIsNotToldFromOneThatDoesNotExist() async throws {
        let policy = DestinationPolicy.publicOnly(allowances: [])
        try await Self.with([.good], .with { $0.engine.destinations = policy }) { service, origin in
            let id = try await service.add("http://localhost:\(origin.port)/a")
            let download = try await service.wait(id, .failed, .waiting)

            #expect(download.waitingFor == .retry)
            #expect(download.error?.error.code == .dnsFailure)
            #expect(download.error?.error.curlCode == 6)
            #expect(origin.connectionCount == 0)
            let shown = try await service.send("GET", "/downloads/\(id)").text
            let attempts = try await service.send("GET", "/downloads/\(id)/attempts").text
            #expect(!shown.contains("forbidden") && !attempts.contains("forbidden") && !attempts.contains("127.0.0.1"))
            #expect(service.logs.lines.contains { $0.contains("destination_forbidden") && $0.contains(id) })
        }
    }
}
