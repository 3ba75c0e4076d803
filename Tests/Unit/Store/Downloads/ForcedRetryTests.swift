import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// A new run of a completed download.
@Suite struct ForcedRetryTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func force(_ id: DownloadID, _ edit: DownloadEdit = DownloadEdit()) async throws -> CommandOutcome {
        let command = Command(action: .retry, edit: { _ in edit }, forces: true, timeLimit: .seconds(60))
        return try await fixture.store.command(id, command, now: Fixture.at(5)).outcome()
    }

    private func forced(_ session: String? = nil) async throws -> (old: Download, new: Download) {
        let old = try await fixture.download(at: DownloadStateMachine(state: .completed), session: session)
        return (old, try await force(old.id).get().download)
    }

    @Test func aNewRunKeepsTheOldFileAndNoneOfItsBytes() async throws {
        let (old, new) = try await forced("s")
        let session = try #require(SessionName("s"))
        let summary = try #require(try await fixture.store.session(session))

        #expect(new.state == .queued && new.run == old.run + 1 && new.generation == old.generation + 1)
        #expect(new.file == nil && new.keptFile?.path == old.file?.path && new.name == old.name)
        #expect(new.keptFile?.placedAt == old.times.finishedAt)
        #expect(new.progress.durableBytes == 0 && new.times.finishedAt == nil)
        #expect(try await fixture.download(old.id) == new)
        #expect(summary.counts[.queued] == 1 && summary.counts[.completed] ?? 0 == 0)
        #expect(summary.session.openCount == 1 && summary.session.usedBytes == 0)
        #expect(try fixture.events(of: old.id).suffix(2) == ["download.completed", "download.resumed"])
    }

    @Test func theFileOfTheNewRunEndsTheOldOne() async throws {
        let (old, _) = try await forced()
        let claim = try await fixture.claim().claim
        _ = try await fixture.store.publish(
            claim,
            Fixture.file(),
            Fixture.checkpoint(1000, generation: old.generation + 1),
            now: Fixture.now
        )
        #expect(try await fixture.download(old.id).keptFile != nil)
        let done = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: Fixture.now).taken

        #expect(done.state == .completed && done.keptFile == nil && done.file?.path == "file")
    }

    @Test(arguments: [false, true])
    func aRunThatFailsOrIsCancelledLeavesTheOldFile(isCancelled: Bool) async throws {
        let (old, _) = try await forced()
        if isCancelled {
            try await fixture.done(old.id, .cancel)
        } else {
            let claim = try await fixture.claim().claim
            let failed = ClaimOutcome.failed(Fixture.error)
            _ = try await fixture.store.recordOutcome(claim, failed, madeProgress: false, now: Fixture.now)
        }
        let ended = try await fixture.download(old.id)

        #expect(ended.keptFile?.path == "file")
        #expect(isCancelled || ended.error?.error.message.contains("still at 'file'") == true)
        _ = try await fixture.store.purge(PurgeAges(finishedDownloads: .zero), now: Fixture.at(100_000))
        #expect(try await fixture.download(old.id).keptFile != nil)
        guard case .failure(.locked(let members, _)) = try await fixture.command(old.id, nil, Self.renaming) else {
            throw Unexpected(what: "renamed")
        }
        #expect(members == ["filename"])
    }

    private static let renaming: DownloadEdit = {
        var edit = DownloadEdit()
        edit.filename = .clear
        return edit
    }()

    @Test func withoutForceItIsRefused() async throws {
        let old = try await fixture.download(at: DownloadStateMachine(state: .completed))

        guard case .failure(.invalidTransition) = try await fixture.command(old.id, .retry) else {
            throw Unexpected(what: "retried")
        }
    }

    @Test func forgottenSecretsAreNeeded() async throws {
        var request = DownloadRequest(url: DownloadURL(normalized: "https://a.example/f? 0123456789abcdef0123456789"))
        request.summary = RequestSummary(headerNames: ["X-Key"])
        request.credentials = SealedCredentials(bytes: [1])
        let id = try await fixture.make(request).id
        let claim = try await fixture.claim().claim
        _ = try await fixture.store.publish(claim, Fixture.file(), Fixture.checkpoint(1000), now: Fixture.now)
        _ = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: Fixture.now)

        guard case .failure(.secretsForgotten(let members)) = try await force(id) else {
            throw Unexpected(what: "retried")
        }
        #expect(members == ["url", "request_headers"])
        var edit = DownloadEdit()
        edit.url = Fixture.url()
        edit.credentials = .clear
        edit.summary = RequestSummary()
        let new = try await force(id, edit).get().download
        #expect(new.state == .queued && new.request.url == Fixture.url())
    }
}
