extension Download.Attempts {
    /// Counts a failed attempt. The backoff and the retry limits depend on these counts.
    ///
    /// - Parameters:
    ///   - last: The code of the previous failure; nil for the first failure of a run.
    ///   - madeProgress: Whether the attempt made new bytes durable, which resets the counts of consecutive failures.
    public mutating func record(
        _ code: DownloadError.Code,
        after last: DownloadError.Code?,
        madeProgress: Bool
    ) {
        sameFailures = !madeProgress && code == last ? sameFailures + 1 : 1
        if madeProgress { recordProgress() } else { withoutProgress += 1 }
        if code.rejectsCompleteFile { mismatches += 1 }
    }

    /// Resets the counts that end with a new durable byte.
    public mutating func recordProgress() {
        withoutProgress = 0
        urlRefreshes = 0
        crashes = 0
    }

    /// The number of crashes without progress after which a download waits for its user, so that a download that
    /// crashes the process cannot do so repeatedly and stop all others.
    static let crashesToWait = 3
    /// The same number regardless of progress, because an origin can send a byte before each crash.
    static let crashesToWaitDespiteProgress = 10

    /// Counts a crash of the process while the download ran.
    ///
    /// - Returns: The number of crashes, if the download must wait for `resume` because of them; otherwise nil.
    public mutating func recordCrash() -> Int? {
        crashes += 1
        crashesDespiteProgress += 1
        if crashes >= Self.crashesToWait { return crashes }
        return crashesDespiteProgress >= Self.crashesToWaitDespiteProgress ? crashesDespiteProgress : nil
    }

    /// Resets the crash counts, after an orderly stop or an action of the user.
    public mutating func forgetCrashes() {
        crashes = 0
        crashesDespiteProgress = 0
    }

    /// Counts a restart from byte 0.
    ///
    /// - Parameter isChange: Whether the origin's file changed.
    public mutating func recordRestart(reason: String, isChange: Bool) {
        if isChange { restarts += 1 }
        if Self.rejections.contains(reason) { mismatches += 1 }
    }

    /// The reasons of restarts that discard a complete file: a wrong digest, or nothing that proves its end.
    private static let rejections: Set = [DownloadError.Code.checksumMismatch.rawValue, "end_unproven"]

    /// The number of failures that a retry limit counts: consecutive failures with the same code. Where a complete file
    /// was rejected all failures of the run count, because each of them costs a transfer of the whole file.
    public func failures(with code: DownloadError.Code) -> Int {
        code.rejectsCompleteFile ? mismatches : sameFailures
    }
}

extension DownloadError.Code {
    /// Whether the origin sent a complete file, and it was rejected. A lost connection rejects nothing.
    public var rejectsCompleteFile: Bool {
        switch self {
        case .checksumMismatch, .sourceChanged, .contentDecoding: true
        default: false
        }
    }
}
