import Core
import Store
import StoreSupport
import TestSupport
import Testing

@Suite struct EditTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static var labels: DownloadEdit {
        var edit = DownloadEdit()
        edit.labels = .set(JSONText(canonical: "{}"))
        return edit
    }

    @Test func anEditIsANewRevisionWithoutAnEvent() async throws {
        let old = try await fixture.make()

        let new = try await fixture.done(old.id, nil, Self.labels, at: Fixture.at(5)).download
        #expect(new.request.labels == JSONText(canonical: "{}"))
        #expect(new.revision == old.revision + 1)
        #expect(new.times.updatedAt == Fixture.at(5))
        #expect(try await fixture.download(old.id) == new)
        #expect(try fixture.events(of: old.id) == ["download.created"])
    }

    @Test func anEditThatChangesNothingIsNoRevision() async throws {
        let id = try await fixture.make().id
        try await fixture.done(id, nil, Self.labels)
        let before = try fixture.row(id)

        try await fixture.done(id, nil, Self.labels, at: Fixture.at(5))
        try await fixture.done(id, nil, at: Fixture.at(5))
        #expect(try fixture.row(id) == before)
    }

    @Test(arguments: [.running, .completed] as [DownloadState])
    func aLockedMemberRefusesTheWholeCommand(_ state: DownloadState) async throws {
        let old = try await fixture.download(at: DownloadStateMachine(state: state))
        let before = try fixture.row(old.id)
        var edit = Self.labels
        edit.url = Fixture.url(host: "b.example")

        let outcome = try await fixture.command(old.id, .pause, edit)
        guard case .failure(.locked(let members, let current)) = outcome else { throw Unexpected(what: "\(outcome)") }
        #expect(members == ["url"])
        #expect(current == old)
        #expect(try fixture.row(old.id) == before)
    }

    @Test func anEditWithAnActionThatIsRefusedIsNotKept() async throws {
        let old = try await fixture.make()
        let before = try fixture.row(old.id)

        guard case .failure(.invalidTransition) = try await fixture.command(old.id, .retry, Self.labels) else {
            Issue.record("taken")
            return
        }
        #expect(try fixture.row(old.id) == before)
    }

    @Test func anEditAndAnActionGoTogether() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(
            claim,
            Fixture.deferred(.credentials, until: nil),
            madeProgress: false,
            now: Fixture.now
        )
        var edit = DownloadEdit()
        edit.url = Fixture.url(host: "b.example")
        edit.credentials = .set(SealedCredentials(bytes: [1]))

        let new = try await fixture.done(claim.id, .resume, edit).download
        #expect(new.state == .queued)
        #expect(new.request.url.host == "b.example")
        #expect(try fixture.value("SELECT authority FROM download") == "b.example:443")
        #expect(try fixture.events(of: claim.id).last == "download.resumed")
    }

    private func waiting(for reason: WaitingFor) async throws -> DownloadID {
        let claim = try await fixture.claimed().claim
        let deferral = Fixture.deferred(reason, until: reason == .credentials ? nil : Fixture.at(60))
        _ = try await fixture.store.recordOutcome(claim, deferral, madeProgress: false, now: Fixture.now)
        return claim.id
    }

    private static func edit(_ change: (inout DownloadEdit) -> Void) -> DownloadEdit {
        var edit = DownloadEdit()
        change(&edit)
        return edit
    }

    private static let edits = [
        edit { $0.url = Fixture.url(host: "b.example") },
        edit { $0.credentials = .set(SealedCredentials(bytes: [1])) },
    ]

    @Test(arguments: edits)
    func newCredentialsOrANewURLEndTheWaitForThem(_ edit: DownloadEdit) async throws {
        let id = try await waiting(for: .credentials)

        let new = try await fixture.done(id, nil, edit, at: Fixture.at(5)).download
        #expect(new.state == .queued)
        #expect(new.waitingFor == nil)
        #expect(try fixture.events(of: id).last == "download.resumed")
        #expect(try await fixture.claim(at: Fixture.at(5)).claim.id == id)
    }

    @Test func otherMembersEndNoWaitForCredentials() async throws {
        let id = try await waiting(for: .credentials)

        #expect(try await fixture.done(id, nil, Self.labels).download.waitingFor == .credentials)
    }

    @Test(arguments: edits)
    func credentialsEndNoOtherWait(_ edit: DownloadEdit) async throws {
        let id = try await waiting(for: .space)

        #expect(try await fixture.done(id, nil, edit).download.waitingFor == .space)
    }

    @Test(arguments: edits)
    func aPauseThatComesWithThemHolds(_ edit: DownloadEdit) async throws {
        let id = try await waiting(for: .credentials)

        #expect(try await fixture.done(id, .pause, edit).download.state == .paused)
    }

    @Test func aChosenDeadlineIsTheDeadline() async throws {
        let id = try await fixture.make().id
        var edit = DownloadEdit()
        edit.set(\.deadline, to: .at(Fixture.at(100)))

        let new = try await fixture.done(id, nil, edit).download
        #expect(new.times.deadlineAt == Fixture.at(100))
        #expect(new.request.deadline == .at(Fixture.at(100)))
    }
}

/// Waiting for one download to change.
@Suite struct ChangeTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// Whether whoever waits for a download is woken by what is done.
    private func isWoken(waitingFor id: DownloadID, _ act: () async throws -> Void) async throws -> Bool {
        let (changes, waiter) = fixture.store.changes(of: id)
        try await act()
        waiter.finish()
        return await changes.reduce(0) { count, _ in count + 1 } > 0
    }

    @Test func itsOwnChangeWakesAndNoOther() async throws {
        let (id, other) = (try await fixture.make().id, try await fixture.make().id)

        #expect(try await isWoken(waitingFor: id) { try await fixture.done(id, .pause) })
        #expect(try await !isWoken(waitingFor: id) { try await fixture.done(other, .pause) })
        #expect(try await !isWoken(waitingFor: id) { try await fixture.make() })
    }

    @Test func itsEndWakes() async throws {
        let id = try await fixture.make().id

        let isWoken = try await isWoken(waitingFor: id) {
            _ = try await fixture.store.delete(id, force: true, expectedRevision: nil, now: Fixture.now)
        }
        #expect(isWoken)
    }
}

@Suite struct MirrorTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func mirrorsAndWhatTheOriginNamedAreKept() async throws {
        var request = DownloadRequest(url: Fixture.url(host: "a.example"))
        request.mirrors = ["http://b.example/f", "http://c.example/f?a=b"]
        request.metalink = .keep
        let id = try await fixture.make(request).id
        var checkpoint = Fixture.checkpoint(10)
        checkpoint.source.url = "http://b.example/f"
        checkpoint.source.mirrors = ["http://d.example/f"]
        checkpoint.source.isMetalink = true
        let claim = try await fixture.claim().claim
        _ = try await fixture.store.checkpoint(claim, checkpoint, now: Fixture.now)

        let download = try await fixture.download(id)
        #expect(download.request.mirrors == request.mirrors)
        #expect(download.request.metalink == .keep)
        #expect(download.source == checkpoint.source)
    }

    @Test(arguments: [("checksum_mismatch", 1), ("end_unproven", 1), ("etag_changed", 0)])
    func aFileThatIsFetchedAnewBecauseItWasWrongIsCounted(_ reason: String, _ mismatches: Int) async throws {
        let claimed = try await fixture.claimed()
        _ = try await fixture.store.restart(claimed.claim, reason: reason, isChange: false, now: Fixture.now)

        let download = try await fixture.download(claimed.download.id)
        #expect(download.attempts.mismatches == mismatches)
    }
}
