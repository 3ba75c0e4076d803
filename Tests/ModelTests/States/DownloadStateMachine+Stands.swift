import Core

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
        + DownloadPhase.allCases.map(Self.entered) + WaitingFor.allCases.map(Self.held)
}
