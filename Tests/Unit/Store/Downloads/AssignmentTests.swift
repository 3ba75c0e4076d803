import Core
import HTTPFields
import Store
import StoreSupport
import TestSupport
import Testing

/// Edits of what a worker was given: session, place and expectations.
@Suite struct AssignmentTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static func edit(_ change: (inout DownloadEdit) -> Void) -> DownloadEdit {
        var edit = DownloadEdit()
        change(&edit)
        return edit
    }

    private static func entering(_ name: String?) -> DownloadEdit {
        edit { $0.session = name.flatMap { SessionName($0) }.map { .set($0) } ?? .clear }
    }

    private static let digest = Digest(algorithm: .md5, bytes: Array(repeating: 1, count: 16))

    private static let edits = [
        entering("t"),
        edit { $0.directory = (try? RelativeDirectory(validating: "a/b")).map { .set($0) } },
        edit { $0.filename = (try? FileName(validating: "a.iso")).map { .set($0) } },
        edit { $0.expected = Expected(sizeBytes: 1000, digests: [digest]) },
    ]

    private func session(_ name: String) async throws -> SessionSummary {
        let name = try #require(SessionName(name))
        return try #require(try await fixture.store.session(name))
    }

    private func finishes() throws -> [String] {
        try fixture.texts("SELECT CAST(body AS TEXT) FROM event WHERE type = 'session.finished' ORDER BY seq")
            .compactMap { $0.split(separator: " ", maxSplits: 1).last.map(String.init) }
    }

    @Test(arguments: edits)
    func aRunningDownloadGoesBackToTheQueueWithItsBytes(_ edit: DownloadEdit) async throws {
        let claim = try await fixture.claimed(session: "s").claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)

        let (download, stopped) = try await fixture.done(claim.id, nil, edit, at: Fixture.at(5))
        #expect(download.state == .queued && stopped == claim.epoch)
        #expect(download.progress.durableBytes == 400)
        #expect(download.times.queuedAt == Fixture.now)
        #expect(try await fixture.download(claim.id) == download)
        #expect(
            try await fixture.store.recordOutcome(claim, .interrupted, madeProgress: false, now: Fixture.now).isLost
        )
        #expect(try await fixture.claim().download.request == download.request)
    }

    @Test func theRootMayChangeAfterACancelBeforeTheFirstAttempt() async throws {
        let media = try #require(RootName("media"))
        let old = try await fixture.make()
        try await fixture.done(old.id, .cancel)

        let (download, _) = try await fixture.done(old.id, .retry, Self.edit { $0.root = media })
        #expect(download.request.root == media)
    }

    @Test func theRootIsLockedAfterAnAttempt() async throws {
        let media = try #require(RootName("media"))
        let claim = try await fixture.claimed().claim
        try await fixture.done(claim.id, .cancel)

        let outcome = try await fixture.command(claim.id, .retry, Self.edit { $0.root = media })
        guard case .failure(.locked(["root"], _)) = outcome else { throw Unexpected(what: "\(outcome)") }
    }

    @Test(arguments: edits)
    func aPublishingDownloadIsBusy(_ edit: DownloadEdit) async throws {
        let old = try await fixture.download(at: DownloadStateMachine(state: .running, phase: .publishing))

        guard case .failure(.busy) = try await fixture.command(old.id, nil, edit) else {
            Issue.record("changed")
            return
        }
        #expect(try await fixture.download(old.id) == old)
    }

    @Test(arguments: edits)
    func anEqualValueStopsNoWorker(_ edit: DownloadEdit) async throws {
        let id = try await fixture.make().id
        let before = try await fixture.done(id, nil, edit).download
        let claim = try await fixture.claim().claim

        let (after, stopped) = try await fixture.done(id, nil, edit)
        #expect(after.state == .running && stopped == nil)
        #expect(after.request == before.request && after.epoch == claim.epoch)
    }

    @Test(arguments: edits)
    func aPauseThatComesWithItStopsTheWorkerOnce(_ edit: DownloadEdit) async throws {
        let claim = try await fixture.claimed(session: "s").claim

        let (download, stopped) = try await fixture.done(claim.id, .pause, edit)
        #expect(download.state == .paused && stopped == claim.epoch)
    }

    @Test func webhooksOfARunningDownloadChangeWithoutAStop() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        let webhook = try #require(try fixture.texts("SELECT id FROM webhook").first.flatMap { WebhookID($0) })
        let claim = try await fixture.claimed().claim

        let (download, stopped) = try await fixture.done(claim.id, nil, Self.edit { $0.webhookIDs = [webhook] })
        #expect(download.state == .running && stopped == nil)
        #expect(try await fixture.download(claim.id).request.webhookIDs == [webhook])
        let other = Self.edit { $0.webhookIDs = [webhook, WebhookID(first: Fixture.now)] }
        guard case .failure(.assignment(.unknownWebhook(at: 1))) = try await fixture.command(claim.id, nil, other)
        else {
            Issue.record("changed")
            return
        }
    }

    @Test func aDownloadIsCountedInItsNewSession() async throws {
        let id = try await fixture.claimed(session: "s").claim.id
        try await fixture.make(session: "s")
        let claim = try #require(try await fixture.store.download(id))
        _ = try await fixture.store.checkpoint(
            Claim(id: id, node: Fixture.node, epoch: claim.epoch),
            Fixture.checkpoint(300),
            now: Fixture.now
        )
        try await fixture.done(id, nil, Self.entering("t"))

        let (left, entered) = (try await session("s"), try await session("t"))
        #expect(left.counts[.queued] == 1 && left.counts[.running] ?? 0 == 0)
        #expect(left.session.openCount == 1 && left.session.usedBytes == 0 && left.receivedBytes == 0)
        #expect(entered.counts[.queued] == 1 && entered.session.openCount == 1)
        #expect(entered.session.usedBytes == 300 && entered.receivedBytes == 300 && entered.totalBytes == 1000)
        #expect(try await fixture.store.totals().downloads.counts[.queued] == 2)
        #expect(try finishes().isEmpty)
    }

    @Test func theLastOpenDownloadThatLeavesFinishesTheSession() async throws {
        let done = try await fixture.claimed(session: "s").claim
        let id = try await fixture.make(session: "s").id
        _ = try await fixture.store.recordOutcome(done, .failed(Fixture.error), madeProgress: false, now: Fixture.now)
        #expect(try finishes().isEmpty)

        try await fixture.done(id, nil, Self.entering("t"))
        #expect(try finishes() == ["session.finished s 1"])
        #expect(try await session("s").session.epoch == 2)
        try await fixture.done(id, nil, Self.entering(nil))
        #expect(try finishes() == ["session.finished s 1", "session.finished t 1"])
        try await fixture.done(id, nil, Self.entering("s"))
        try await fixture.done(id, .cancel)
        #expect(try finishes().last == "session.finished s 2")
    }

    @Test func aSealedSessionAndOneWithoutRoomRefuse() async throws {
        let (sealed, full) = (try #require(SessionName("sealed")), try #require(SessionName("full")))
        _ = try await fixture.store.setUpSession(sealed, SessionSettings(), seals: true, now: Fixture.now)
        _ = try await fixture.store.setUpSession(full, SessionSettings(maxBytes: 999), now: Fixture.now)
        let claim = try await fixture.claimed(session: "s").claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(1), now: Fixture.now)
        let before = try fixture.row(claim.id)

        guard
            case .failure(.assignment(.sessionSealed)) = try await fixture.command(
                claim.id,
                nil,
                Self.entering("sealed")
            ),
            case .failure(.assignment(.quotaExceeded)) = try await fixture.command(claim.id, nil, Self.entering("full"))
        else {
            Issue.record("changed")
            return
        }
        #expect(try fixture.row(claim.id) == before)
    }
}
