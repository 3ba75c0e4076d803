import Core
import Testing

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
        case .held(let reason): return isRunning ? DownloadStateMachine(state: .waiting, waitingFor: reason) : nil
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

        let isTaken = machine.take(report)
        #expect(isTaken == (end != nil))
        #expect(machine == end ?? stand)
    }

    @Test func theCompletedStateIsLeftByNothing() {
        let stand = DownloadStateMachine(state: .completed)
        var machine = stand

        for action in DownloadAction.allCases { #expect(throws: InvalidTransition.self) { try machine.apply(action) } }
        let taken = DownloadStateMachine.Report.all.filter { machine.take($0) }
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
