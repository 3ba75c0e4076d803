import Core
import Testing

/// What a user may do, written out: one row for each state, one column for each action.
@Suite struct StateMachineActionTests {
    private enum Outcome: Equatable {
        case moves(DownloadState)
        case stays
        case refused
    }

    private static func outcome(of action: DownloadAction, at initial: DownloadStateMachine) -> Outcome {
        let row: [Outcome] =
            switch initial.state {
            case .queued: [.moves(.paused), .stays, .moves(.cancelled), .refused]
            case .running where initial.phase == .publishing: [.refused, .stays, .refused, .refused]
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

    @Test(arguments: DownloadStateMachine.allMachines, DownloadAction.allCases)
    func forceLetsOnlyACompletedDownloadBeRetried(_ initial: DownloadStateMachine, _ action: DownloadAction) {
        var (plain, forced) = (initial, initial)
        _ = try? plain.apply(action)
        _ = try? forced.apply(action, forced: true)
        let isForced = initial.state == .completed && action == .retry

        #expect(forced == (isForced ? DownloadStateMachine(state: .queued) : plain))
    }

    @Test(arguments: DownloadStateMachine.allMachines, DownloadAction.allCases)
    func anActionDoesWhatTheTableSays(_ initial: DownloadStateMachine, _ action: DownloadAction) throws {
        var machine = initial

        switch Self.outcome(of: action, at: initial) {
        case .moves(let state):
            #expect(try machine.apply(action) == .changed(stopsWorker: initial.state == .running))
            #expect(machine == DownloadStateMachine(state: state))
        case .stays:
            #expect(try machine.apply(action) == .unchanged)
            #expect(machine == initial)
        case .refused:
            let refusal = InvalidTransition(
                action: action,
                state: initial.state,
                allowedActions: initial.state.allowedActions(in: initial.phase)
            )
            #expect(throws: refusal) { try machine.apply(action) }
            #expect(machine == initial)
        }
    }

    @Test(arguments: DownloadStateMachine.allMachines)
    func theAllowedActionsAreThoseThatChangeSomething(_ initial: DownloadStateMachine) {
        let changing = DownloadAction.allCases.filter { action in
            var machine = initial
            guard case .changed = try? machine.apply(action) else { return false }
            return true
        }

        #expect(initial.state.allowedActions(in: initial.phase) == changing)
    }
}

@Suite struct StateMachineReportTests {
    /// Where a report moves a download; nil where it is dropped.
    private static func end(
        of event: DownloadStateMachine.Event,
        at initial: DownloadStateMachine
    ) -> DownloadStateMachine? {
        let isRunning = initial.state == .running
        let isPublishing = initial.phase == .publishing
        switch event {
        case .claimed: return initial.state == .queued ? DownloadStateMachine(state: .running, phase: .probing) : nil
        case .entered(let phase):
            return isRunning && !isPublishing ? DownloadStateMachine(state: .running, phase: phase) : nil
        case .completed: return isPublishing ? DownloadStateMachine(state: .completed) : nil
        case .failed: return isRunning ? DownloadStateMachine(state: .failed) : nil
        case .deferred(let reason): return isRunning ? DownloadStateMachine(state: .waiting, waitingFor: reason) : nil
        case .interrupted: return isRunning ? DownloadStateMachine(state: .queued) : nil
        case .due: return initial.state == .waiting ? DownloadStateMachine(state: .queued) : nil
        case .postponed:
            return initial.state == .queued ? DownloadStateMachine(state: .waiting, waitingFor: .schedule) : nil
        case .expired:
            let isPending = [.queued, .waiting].contains(initial.state) || (isRunning && !isPublishing)
            return isPending ? DownloadStateMachine(state: .failed) : nil
        }
    }

    @Test(arguments: DownloadStateMachine.allMachines, DownloadStateMachine.Event.all)
    func anEventIsHandledOrDropped(_ initial: DownloadStateMachine, _ event: DownloadStateMachine.Event) {
        var machine = initial
        let end = Self.end(of: event, at: initial)

        let isHandled = machine.handle(event)
        #expect(isHandled == (end != nil))
        #expect(machine == end ?? initial)
    }

    @Test func theCompletedStateIsLeftByNothing() {
        let initial = DownloadStateMachine(state: .completed)
        var machine = initial

        for action in DownloadAction.allCases { #expect(throws: InvalidTransition.self) { try machine.apply(action) } }
        let taken = DownloadStateMachine.Event.all.filter { machine.handle($0) }
        #expect(taken.isEmpty)
        #expect(machine == initial)
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
    static let allMachines: [Self] =
        [.queued, .paused, .completed, .failed, .cancelled].map { Self(state: $0) }
        + DownloadPhase.allCases.map { Self(state: .running, phase: $0) }
        + WaitingFor.allCases.map { Self(state: .waiting, waitingFor: $0) }
}

extension DownloadStateMachine.Event {
    static let all: [Self] =
        [.claimed, .completed, .failed, .interrupted, .due, .postponed, .expired]
        + DownloadPhase.allCases.map(Self.entered) + WaitingFor.allCases.map(Self.deferred)
}
