import Model

/// What has happened to a download so far, for the decision about its next attempt.
struct GetHistory: Sendable {
    private(set) var attemptsWithoutProgress = 0
    private(set) var sameFailures = 0
    private var lastCode: DownloadError.Code?
    private var progressedAt: Timestamp

    init(at now: Timestamp) {
        progressedAt = now
    }

    /// Counts a failed attempt in.
    mutating func note(_ failure: TransferFailure, madeProgress: Bool, at now: Timestamp) {
        let isSame = !madeProgress && failure.error.code == lastCode
        sameFailures = isSame ? sameFailures + 1 : 1
        lastCode = failure.error.code
        attemptsWithoutProgress = madeProgress ? 0 : attemptsWithoutProgress + 1
        if madeProgress { progressedAt = now }
    }

    func timeWithoutProgress(at now: Timestamp) -> Duration { max(now - progressedAt, .zero) }
}
