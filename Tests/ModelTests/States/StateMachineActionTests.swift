import Core
import Testing

/// What a user may do, written out: one row for each state, one column for each action.
@Suite struct StateMachineActionTests {
    private enum Answer: Equatable {
        case moves(DownloadState)
        case stays
        case refused
    }

    private static func answer(to action: DownloadAction, at stand: DownloadStateMachine) -> Answer {
        let row: [Answer] =
            switch stand.state {
            case .queued: [.moves(.paused), .stays, .moves(.cancelled), .refused]
            case .running where stand.phase == .publishing: [.refused, .stays, .refused, .refused]
            case .running: [.moves(.paused), .stays, .moves(.cancelled), .refused]
            case .waiting: [.moves(.paused), .moves(.queued), .moves(.cancelled), .refused]
            case .paused: [.stays, .moves(.queued), .moves(.cancelled), .refused]
            case .completed: [.refused, .refused, .refused, .refused]
            case .failed: [.refused, .refused, .refused, .moves(.queued)]
            case .cancelled: [.refused, .refused, .stays, .moves(.queued)]
            }
        return switch action {
        case .pause: row[0]
        case .resume: row[1]
        case .cancel: row[2]
        case .retry: row[3]
        }
    }

    @Test(arguments: DownloadStateMachine.stands, DownloadAction.allCases)
    func anActionDoesWhatTheTableSays(_ stand: DownloadStateMachine, _ action: DownloadAction) throws {
        var machine = stand

        switch Self.answer(to: action, at: stand) {
        case .moves(let state):
            #expect(try machine.apply(action) == .changed(stopsWorker: stand.state == .running))
            #expect(machine == DownloadStateMachine(state: state))
        case .stays:
            #expect(try machine.apply(action) == .unchanged)
            #expect(machine == stand)
        case .refused:
            let refusal = InvalidTransition(
                action: action,
                state: stand.state,
                allowedActions: stand.state.allowedActions(in: stand.phase)
            )
            #expect(throws: refusal) { try machine.apply(action) }
            #expect(machine == stand)
        }
    }

    @Test(arguments: DownloadStateMachine.stands)
    func theAllowedActionsAreThoseThatChangeSomething(_ stand: DownloadStateMachine) {
        let changing = DownloadAction.allCases.filter { action in
            var machine = stand
            guard case .changed = try? machine.apply(action) else { return false }
            return true
        }

        #expect(stand.state.allowedActions(in: stand.phase) == changing)
    }
}
