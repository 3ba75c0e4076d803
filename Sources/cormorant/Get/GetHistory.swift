import Model

/// What has happened to a download so far, for the decision about its next attempt.
struct GetHistory: Sendable {
    private(set) var attempts: Download.Attempts
    private var lastCode: DownloadError.Code?
    private var progressedAt: Timestamp

    /// - Parameter mismatches: Whole files that an earlier run found to be wrong.
    init(at now: Timestamp, mismatches: Int = 0) {
        attempts = Download.Attempts(mismatches: mismatches)
        progressedAt = now
    }

    /// Counts a failed attempt in.
    mutating func note(_ failure: TransferFailure, madeProgress: Bool, at now: Timestamp) {
        attempts.note(failure.error.code, after: lastCode, madeProgress: madeProgress)
        lastCode = failure.error.code
        if madeProgress { progressedAt = now }
    }

    func timeWithoutProgress(at now: Timestamp) -> Duration { max(now - progressedAt, .zero) }
}
