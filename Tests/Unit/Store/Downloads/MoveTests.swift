import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// The records of moves of finished files.
@Suite struct MoveTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func completed() async throws -> Download {
        try await fixture.download(at: DownloadStateMachine(state: .completed))
    }

    private func begin(_ move: FileMove, revision: Int64? = nil) async throws -> MoveOutcome {
        let command = Command(expectedRevision: revision, timeLimit: .seconds(1))
        return try await fixture.store.beginMove(move, command, now: Fixture.now).outcome()
    }

    private func done(_ outcome: MoveOutcome) throws -> Download {
        guard case .done(let download) = outcome else { throw Unexpected(what: "\(outcome)") }
        return download
    }

    @Test func theIntentIsRecordedAndIsNoRevision() async throws {
        let old = try await completed()
        let move = FileMove(old.id, from: "file", to: "a/b")

        let begun = try done(try await begin(move))
        #expect(begun.revision == old.revision && begun.file?.path == "file" && begun.file?.movingTo == "a/b")
        #expect(try await fixture.store.unfinishedMoves() == [begun])
        guard case .outdated = try await begin(move) else { throw Unexpected(what: "begun twice") }

        let moved = try done(try await fixture.store.finishMove(move, now: Fixture.at(9)))
        #expect(moved.revision == old.revision + 1 && moved.state == .completed)
        #expect(moved.file?.path == "a/b" && moved.file?.movingTo == nil && moved.file?.placedAt == Fixture.at(9))
        #expect(moved.request.directory?.path == "a" && moved.name == "b")
        #expect(moved.times.finishedAt == old.times.finishedAt)
        #expect(try await fixture.download(old.id) == moved)
        #expect(try await fixture.store.unfinishedMoves().isEmpty)
        guard case .outdated = try await fixture.store.finishMove(move, now: Fixture.now) else {
            throw Unexpected(what: "finished twice")
        }
    }

    /// While a move is not settled the file may be in either place, so it is not missing.
    @Test func aFileThatIsBeingMovedIsNotRecordedAsMissing() async throws {
        let old = try await completed()
        let begun = try done(try await begin(FileMove(old.id, from: "file", to: "a/b")))
        let seen = try #require(begun.file)

        let after = try await fixture.store.recordFile(of: old.id, seen: seen, found: seen.missing, now: Fixture.at(9))

        #expect(after == begun)
        #expect(try await fixture.download(old.id).file?.isMissing == false)
    }

    @Test func anAbandonedMoveLeavesTheRowAsItWas() async throws {
        let old = try await completed()
        let before = try fixture.row(old.id)
        let move = FileMove(old.id, from: "file", to: "a/b")
        _ = try done(try await begin(move))
        try await fixture.store.abandonMove(move)

        #expect(try fixture.row(old.id) == before)
    }

    @Test func twoDownloadsNeverTakeOnePath() async throws {
        let first = try await completed()
        _ = try done(try await begin(FileMove(first.id, from: "file", to: "x")))
        let claim = try await fixture.claimed().claim

        #expect(
            try await fixture.store.publish(claim, Fixture.file("x"), Fixture.checkpoint(1000), now: Fixture.now)
                .taken == false
        )
        _ = try await fixture.store.publish(claim, Fixture.file("y"), Fixture.checkpoint(1000), now: Fixture.now)
        try await fixture.store.abandonMove(FileMove(first.id, from: "file", to: "x"))
        guard case .reserved = try await begin(FileMove(first.id, from: "file", to: "y")) else {
            throw Unexpected(what: "not reserved")
        }
    }

    @Test func theLastOneAtAPathOwnsTheFileThere() async throws {
        let first = try await completed()
        let claim = try await fixture.claimed().claim
        let later = Fixture.at(50)
        _ = try await fixture.store.publish(claim, Fixture.file("x"), Fixture.checkpoint(1000), now: later)
        let second = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: later).taken
        let move = FileMove(first.id, from: "file", to: "x")
        _ = try done(try await begin(move))
        // The clock was set back meanwhile.
        let moved = try done(try await fixture.store.finishMove(move, now: Fixture.now))

        #expect(try await !fixture.store.hasLostFile(moved))
        #expect(try await fixture.store.hasLostFile(second))
    }

    @Test func anotherRevisionAndOtherStatesAreRefused() async throws {
        let old = try await completed()
        let move = FileMove(old.id, from: "file", to: "x")
        guard case .refused(.revisionMismatch) = try await begin(move, revision: 1) else {
            throw Unexpected(what: "begun")
        }
        let open = try await fixture.make()
        guard case .outdated = try await begin(FileMove(open.id, from: "file", to: "x")) else {
            throw Unexpected(what: "begun")
        }
        var edit = DownloadEdit()
        edit.directory = .clear
        edit.expected = Expected(sizeBytes: 1)
        let command = Command(edit: { [edit] _ in edit }, timeLimit: .seconds(1))
        let refused = try await fixture.store.beginMove(move, command, now: Fixture.now).outcome()
        guard case .refused(.locked(let members, _)) = refused else {
            throw Unexpected(what: "begun")
        }
        #expect(members == ["expected"])
    }

    @Test func theRecordOfAMovingFileIsNotPurged() async throws {
        let old = try await completed()
        let begun = try done(try await begin(FileMove(old.id, from: "file", to: "x")))

        #expect(try await fixture.store.deleteFinished([begun]) == 0)
    }
}
