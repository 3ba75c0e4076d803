import Core
import TransferRules

/// The history of a download, from which the next attempt is decided.
struct GetHistory: Sendable {
    private(set) var attempts = Download.Attempts()
    private var lastCode: DownloadError.Code?
    private var progressedAt: Timestamp

    /// - Parameter mismatches: The number of complete files that earlier runs rejected.
    init(at now: Timestamp, mismatches: Int = 0) {
        attempts.mismatches = mismatches
        progressedAt = now
    }

    /// Records a failed attempt.
    mutating func record(_ failure: TransferFailure, madeProgress: Bool, at now: Timestamp) {
        attempts.record(failure.error.code, after: lastCode, madeProgress: madeProgress)
        lastCode = failure.error.code
        if madeProgress { progressedAt = now }
    }

    func timeWithoutProgress(at now: Timestamp) -> Duration { max(now - progressedAt, .zero) }
}
