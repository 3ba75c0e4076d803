import Core
import Testing

/// What a user may do, written out: one row for each state, one column for each action.
@Suite struct StateMachineActionTests {
    private enum Outcome: Equatable {
        case moves(DownloadState)
        case stays
        case refused
    }

    private static func outcome(of action: DownloadAction, at stand: DownloadStateMachine) -> Outcome {
        let row: [Outcome] =
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

        switch Self.outcome(of: action, at: stand) {
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

@Suite struct StateMachineReportTests {
    /// Where a report moves a download; nil where it is dropped.
    private static func end(
        of report: DownloadStateMachine.Report,
        at stand: DownloadStateMachine
    ) -> DownloadStateMachine? {
        let isRunning = stand.state == .running
        let isPublishing = stand.phase == .publishing
        switch report {
        case .claimed: return stand.state == .queued ? DownloadStateMachine(state: .running, phase: .probing) : nil
        case .entered(let phase):
            return isRunning && !isPublishing ? DownloadStateMachine(state: .running, phase: phase) : nil
        case .completed: return isPublishing ? DownloadStateMachine(state: .completed) : nil
        case .failed: return isRunning ? DownloadStateMachine(state: .failed) : nil
        case .deferred(let reason): return isRunning ? DownloadStateMachine(state: .waiting, waitingFor: reason) : nil
        case .interrupted: return isRunning ? DownloadStateMachine(state: .queued) : nil
        case .due: return stand.state == .waiting ? DownloadStateMachine(state: .queued) : nil
        case .postponed:
            return stand.state == .queued ? DownloadStateMachine(state: .waiting, waitingFor: .schedule) : nil
        case .expired:
            let isPending = [.queued, .waiting].contains(stand.state) || (isRunning && !isPublishing)
            return isPending ? DownloadStateMachine(state: .failed) : nil
        }
    }

    @Test(arguments: DownloadStateMachine.stands, DownloadStateMachine.Report.all)
    func aReportIsTakenOrDropped(_ stand: DownloadStateMachine, _ report: DownloadStateMachine.Report) {
        var machine = stand
        let end = Self.end(of: report, at: stand)

        let isTaken = machine.handle(report)
        #expect(isTaken == (end != nil))
        #expect(machine == end ?? stand)
    }

    @Test func theCompletedStateIsLeftByNothing() {
        let stand = DownloadStateMachine(state: .completed)
        var machine = stand

        for action in DownloadAction.allCases { #expect(throws: InvalidTransition.self) { try machine.apply(action) } }
        let taken = DownloadStateMachine.Report.all.filter { machine.handle($0) }
        #expect(taken.isEmpty)
        #expect(machine == stand)
    }

    @Test(arguments: DownloadState.allCases)
    func aPhaseBelongsToRunningAndAReasonToWaiting(_ state: DownloadState) {
        let machine = DownloadStateMachine(state: state, phase: .verifying, waitingFor: .io)

        #expect((machine.phase != nil) == (state == .running))
        #expect((machine.waitingFor != nil) == (state == .waiting))
    }

    @Test func theTerminalStatesAreThree() {
        #expect(DownloadState.allCases.filter(\.isTerminal) == [.completed, .failed, .cancelled])
        let terminal = EventType.allCases.filter(\.isTerminal)
        #expect(terminal == [.downloadCompleted, .downloadFailed, .downloadCancelled])
    }
}

extension DownloadStateMachine {
    /// Every place where a download can stand.
    static let stands: [Self] =
        [.queued, .paused, .completed, .failed, .cancelled].map { Self(state: $0) }
        + DownloadPhase.allCases.map { Self(state: .running, phase: $0) }
        + WaitingFor.allCases.map { Self(state: .waiting, waitingFor: $0) }
}

extension DownloadStateMachine.Report {
    static let all: [Self] =
        [.claimed, .completed, .failed, .interrupted, .due, .postponed, .expired]
        + DownloadPhase.allCases.map(Self.entered) + WaitingFor.allCases.map(Self.deferred)
}
