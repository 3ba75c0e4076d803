import Core
import Store
import StoreSupport
import TestSupport
import Testing
import TransferRules

/// Another link in place of one that was refused.
@Suite struct LinkTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static let refusal = DownloadError(httpStatus: 403)

    private static func edit(_ host: String) -> DownloadEdit {
        var edit = DownloadEdit()
        edit.url = Fixture.url(host: host)
        return edit
    }

    @Test func aRefreshedURLIsRecordedWithTheAttemptAndUsedAtOnce() async throws {
        let claimed = try await fixture.claimed()
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(10), now: Fixture.now)
        let outcome = try await fixture.store.recordOutcome(
            claimed.claim,
            .urlRefreshed(Self.edit("b.example"), Self.refusal, until: nil),
            madeProgress: true,
            now: Fixture.now
        )
        guard case .done(let download) = outcome else { throw Unexpected(what: "\(outcome)") }

        #expect(download.state == .queued && download.request.url.host == "b.example")
        #expect(download.progress.durableBytes == 10 && download.generation == 1)
        #expect(download.error?.error == Self.refusal && download.error?.isRetried == true)
        #expect(download.attempts.withoutProgress == 0 && download.attempts.urlRefreshes == 1)
        #expect(download.revision > claimed.download.revision)
        #expect(try await fixture.claim().download.request.url.host == "b.example")
    }

    @Test func linksAreCountedUntilAByteComesOrAClientChangesThem() async throws {
        let id = try await fixture.make().id
        for count in 1...3 {
            let claim = try await fixture.claim().claim
            _ = try await fixture.store.recordOutcome(
                claim,
                .urlRefreshed(Self.edit("h\(count)"), Self.refusal, until: nil),
                madeProgress: false,
                now: Fixture.now
            )
            #expect(try await fixture.download(id).attempts.urlRefreshes == count)
        }
        _ = try await fixture.command(id, nil, Self.edit("c.example"))
        #expect(try await fixture.download(id).attempts.urlRefreshes == 0)

        let claim = try await fixture.claim().claim
        _ = try await fixture.store.recordOutcome(
            claim,
            .urlRefreshed(Self.edit("d"), Self.refusal, until: nil),
            madeProgress: false,
            now: Fixture.now
        )
        let next = try await fixture.claim().claim
        _ = try await fixture.store.checkpoint(next, Fixture.checkpoint(10), now: Fixture.now)
        #expect(try await fixture.download(id).attempts.urlRefreshes == 0)
    }

    /// Settles what is claimed next with a new link.
    @discardableResult
    private func urlRefreshed(until: Timestamp? = nil, at now: Timestamp = Fixture.now) async throws -> Download {
        let claim = try await fixture.claim(at: now).claim
        let outcome = ClaimOutcome.urlRefreshed(Self.edit("h\(now)"), Self.refusal, until: until)
        return try await fixture.store.recordOutcome(claim, outcome, madeProgress: false, now: now).taken
    }

    @Test func aRefreshedURLWithADelayIsUsedLater() async throws {
        let id = try await fixture.make().id
        let download = try await urlRefreshed(until: Fixture.at(5))
        #expect(download.state == .waiting && download.waitingFor == .retry)
        #expect(download.times.nextAttemptAt == Fixture.at(5))
        #expect(try fixture.events(of: id).last == "download.retrying")

        _ = try await fixture.store.sweep(now: Fixture.at(5))
        #expect(try await fixture.claim(at: Fixture.at(5)).download.id == id)
    }

    @Test func failuresOfTheOldLinkAreNotHeldAgainstTheNewOne() async throws {
        let claim = try await fixture.claimed().claim
        let deferral = Deferral(reason: .retry, until: Fixture.at(1), error: Self.refusal, isSuspect: true)
        _ = try await fixture.store.recordOutcome(claim, .deferred(deferral), madeProgress: false, now: Fixture.now)
        _ = try await fixture.store.sweep(now: Fixture.at(1))

        let download = try await urlRefreshed(at: Fixture.at(1))
        #expect(download.attempts.sameFailures == 0 && download.attempts.suspectResponses == 0)
        #expect(download.attempts.withoutProgress == 1)
    }

    @Test func aResumeResetsTheCountOfRefreshedURLs() async throws {
        let id = try await fixture.make().id
        try await urlRefreshed()
        try await fixture.done(id, .pause)
        #expect(try await fixture.download(id).attempts.urlRefreshes == 1)

        #expect(try await fixture.done(id, .resume).download.attempts.urlRefreshes == 0)
    }

    @Test(arguments: [("https://r.example/", 1), ("https://s.example/", 0)] as [(DownloadURL, Int)])
    func anEditThatBringsNothingNewLeavesTheCountAlone(_ refreshURL: DownloadURL, _ count: Int) async throws {
        var request = DownloadRequest(url: Fixture.url())
        request.refreshURL = "https://r.example/"
        let id = try await fixture.make(request).id
        try await urlRefreshed()
        var edit = DownloadEdit()
        edit.refreshURL = .set(refreshURL)

        #expect(try await fixture.done(id, nil, edit).download.attempts.urlRefreshes == count)
    }

    @Test func aLostClaimRecordsNoRefreshedURL() async throws {
        let claimed = try await fixture.claimed()
        _ = try await fixture.command(claimed.download.id, .pause)
        let outcome = try await fixture.store.recordOutcome(
            claimed.claim,
            .urlRefreshed(Self.edit("b"), Self.refusal, until: nil),
            madeProgress: false,
            now: Fixture.now
        )

        guard case .lost = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(try await fixture.download(claimed.download.id).request.url == claimed.download.request.url)
    }
}
