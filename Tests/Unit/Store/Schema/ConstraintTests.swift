import Core
import StoreSupport
import Testing

@testable import Store

/// What no path through the program can write.
@Suite struct ConstraintTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test(
        arguments: [
            "state = 'lost'", "phase = 'publishing'", "waiting_for = 'retry'", "finished_at = 1", "paused_at = 1",
            "state = 'running'", "state = 'paused'", "state = 'cancelled'",
            "state = 'failed', finished_at = 1", "on_conflict = 'ask'", "port = 0", "port = 65536",
            "revision = 0", "run = 0", "epoch = -1", "generation = 0", "attempts = -1", "restarts = -1",
            "mismatches = -1",
            "durable_bytes = -1", "total_bytes = -1", "durable_bytes = 5, total_bytes = 4", "max_bytes = -1",
            "rate_bytes_per_second = 0", "connections = 0", "connections = 33", "max_attempts = 0",
            "connect_timeout_seconds = 0", "silence_timeout_seconds = 0", "give_up_seconds = 0",
            "keep_file_seconds = -2", "keep_file_seconds = 1, expires_at = 1",
            "retry_delay_seconds = 0", "retry_max_delay_seconds = 0",
            "expected_size_bytes = -1", "deadline_is_default = 2",
            "last_modified_is_strong = 2", "revision = 'many'", "url = NULL", "session_epoch = 1",
            "session = 'nobody', session_epoch = 1", "file_moving_to = 'x'",
        ]
    )
    func anIllegalRowIsRefused(_ change: String) async throws {
        try await fixture.make()

        #expect(try !fixture.accepts("UPDATE download SET \(change)"))
    }

    @Test(
        arguments: [
            "phase = 'publishing', file_path = NULL", "phase = NULL", "phase = 'resting'",
            "state = 'failed', phase = NULL, finished_at = 1, error_code = NULL",
            "state = 'completed', phase = NULL, finished_at = 1, file_path = NULL",
            "state = 'completed', phase = NULL",
        ]
    )
    func aPublishingRowKeepsWhatItNeeds(_ change: String) async throws {
        _ = try await fixture.download(at: DownloadStateMachine(state: .running, phase: .publishing))

        #expect(try !fixture.accepts("UPDATE download SET \(change)"))
    }

    @Test func aRunEndsOnce() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(claim, .failed(Fixture.error), madeProgress: false, now: Fixture.now)
        let again = """
            INSERT INTO event (seq, id, type, at, download, run, terminal, body)
            SELECT max(seq) + 1, 'evt', ?, at, download, ?, ?, body FROM event WHERE terminal = 1
            """

        #expect(try !fixture.accepts(again, ["download.cancelled", 1, 1]))
        #expect(try !fixture.accepts(again, ["download.completed", 1, 1]))
        #expect(try fixture.accepts(again, ["download.cancelled", 2, 1]))
        #expect(try fixture.accepts(again, ["download.deleted", 1, 0]))
        #expect(try !fixture.accepts(again, ["download.cancelled", 2, 0]))
        #expect(try !fixture.accepts(again, ["download.deleted", 2, 1]))
    }

    @Test func aFinishIsReportedOnce() async throws {
        try await fixture.done(fixture.make(session: "s").id, .cancel)
        let again = """
            INSERT INTO event (seq, id, type, at, session, session_epoch, terminal, body)
            SELECT max(seq) + 1, 'evt', type, at, session, ?, 0, body FROM event WHERE type = 'session.finished'
            """

        #expect(try !fixture.accepts(again, [1]))
        #expect(try fixture.accepts(again, [2]))
    }

    @Test func aSegmentEndsWhereItMay() async throws {
        let id = try await fixture.make().id.text
        let insert = "INSERT INTO segment VALUES (?, 1, 0, ?, ?, ?)"

        #expect(try fixture.accepts(insert, [id, 0, 10, 10]))
        #expect(try fixture.accepts(insert, [id, 5, SQLValue.null, 5]))
        #expect(try !fixture.accepts(insert, [id, 0, 10, 11]))
        #expect(try !fixture.accepts(insert, [id, 5, 10, 4]))
        #expect(try !fixture.accepts(insert, [id, -1, 10, 4]))
        #expect(try !fixture.accepts(insert, ["nobody", 0, 10, 4]))
    }

    @Test func aSessionNeverOwesADownload() async throws {
        try await fixture.done(fixture.make(session: "s").id, .cancel)

        #expect(try !fixture.accepts("UPDATE session SET open_count = open_count - 1"))
        #expect(try !fixture.accepts("DELETE FROM session"))
    }

    @Test func twoLiveDownloadsDoNotShareAKeyOrAName() async throws {
        _ = try await fixture.download(at: DownloadStateMachine(state: .running, phase: .publishing))
        let second = try await fixture.claimed().claim.id.text
        try fixture.execute("UPDATE download SET dedupe_key = 'key' WHERE id <> ?", [second])

        #expect(try !fixture.accepts("UPDATE download SET dedupe_key = 'key' WHERE id = ?", [second]))
        let publish = "UPDATE download SET phase = 'publishing', file_path = ?, file_root = '' WHERE id = ?"
        #expect(try !fixture.accepts(publish, ["file", second]))
        #expect(try fixture.accepts(publish, ["file (1)", second]))
    }
}

/// The schema's idea of a transition against the state machine's, pair by pair.
@Suite struct TransitionTriggerTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static let events: [DownloadStateMachine.Event] =
        [.claimed, .completed, .failed, .interrupted, .due, .postponed, .expired]
        + DownloadPhase.allCases.map(DownloadStateMachine.Event.entered)
        + WaitingFor.allCases.map(DownloadStateMachine.Event.deferred)

    /// The states that one step leads to; to stay is always allowed. What would be queued may have to wait.
    private static func reachable(from initial: DownloadStateMachine) -> Set<DownloadState> {
        var states: Set = [initial.state]
        for action in DownloadAction.allCases {
            var machine = initial
            _ = try? machine.apply(action, forced: true)
            states.insert(machine.state)
            if machine.handle(.postponed) { states.insert(machine.state) }
        }
        for event in events {
            var machine = initial
            _ = machine.handle(event)
            states.insert(machine.state)
        }
        return states
    }

    /// Moves a row with all that its new state asks for, so that nothing but the transition can be refused.
    private static let move = """
        UPDATE download SET state = ?1,
            phase = CASE WHEN ?1 = 'running' THEN coalesce(phase, 'probing') END,
            waiting_for = CASE WHEN ?1 = 'waiting' THEN coalesce(waiting_for, 'retry') END,
            finished_at = CASE WHEN ?1 IN ('completed', 'failed', 'cancelled') THEN 1 END,
            paused_at = CASE WHEN ?1 = 'paused' THEN 1 END,
            error_code = 'internal', file_path = 'file'
        """

    @Test(arguments: DownloadStateMachine.allMachines, DownloadState.allCases)
    func theSchemaAllowsWhatTheStateMachineCanDo(_ initial: DownloadStateMachine, _ state: DownloadState) async throws {
        _ = try await fixture.download(at: initial)

        let isAllowed = Self.reachable(from: initial).contains(state)
        #expect(try fixture.accepts(Self.move, [state.rawValue]) == isAllowed)
    }

    @Test(arguments: DownloadState.allCases)
    func aRowBeginsQueuedOrPaused(_ state: DownloadState) async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: state)).id
        let columns = try fixture.texts("SELECT name FROM pragma_table_info('download')")
            .filter { $0 != "row" && $0 != "id" }
            .joined(separator: ", ")
        let copy = "INSERT INTO download (id, \(columns)) SELECT 'other', \(columns) FROM download WHERE id = ?"

        #expect(try fixture.accepts(copy, [id.text]) == [.queued, .paused].contains(state))
    }

    @Test(arguments: ["paused", "cancelled"])
    func aPublishingRowIsPastPauseAndCancel(_ state: String) async throws {
        _ = try await fixture.download(at: DownloadStateMachine(state: .running, phase: .publishing))

        #expect(throws: (any Error).self) { try fixture.execute(Self.move, [state]) }
        #expect(try fixture.value("SELECT phase FROM download") == "publishing")
    }
}
