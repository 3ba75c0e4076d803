import Core
import Testing

/// The schema's idea of a transition against the state machine's, pair by pair.
@Suite struct TransitionTriggerTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static let reports: [DownloadStateMachine.Report] =
        [.claimed, .completed, .failed, .interrupted, .due, .postponed, .expired]
        + DownloadPhase.allCases.map(DownloadStateMachine.Report.entered)
        + WaitingFor.allCases.map(DownloadStateMachine.Report.held)

    /// The states that one step leads to; to stay is always allowed. What would be queued may have to wait.
    private static func reachable(from stand: DownloadStateMachine) -> Set<DownloadState> {
        var states: Set = [stand.state]
        for action in DownloadAction.allCases {
            var machine = stand
            _ = try? machine.apply(action)
            states.insert(machine.state)
            if machine.take(.postponed) { states.insert(machine.state) }
        }
        for report in reports {
            var machine = stand
            _ = machine.take(report)
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

    @Test(arguments: DownloadStateMachine.stands, DownloadState.allCases)
    func theSchemaAllowsWhatTheStateMachineCanDo(_ stand: DownloadStateMachine, _ state: DownloadState) async throws {
        _ = try await fixture.download(at: stand)

        let isAllowed = Self.reachable(from: stand).contains(state)
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
