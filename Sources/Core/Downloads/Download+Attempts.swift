extension Download.Attempts {
    /// Counts a failed attempt in: what the back-off grows with, and what the limits of tries are held against.
    ///
    /// - Parameters:
    ///   - last: The code of the failure before this one; nil for the first of a run.
    ///   - madeProgress: Whether the attempt made bytes durable, which resets both counts.
    public mutating func record(
        _ code: DownloadError.Code,
        after last: DownloadError.Code?,
        madeProgress: Bool
    ) {
        sameFailures = !madeProgress && code == last ? sameFailures + 1 : 1
        if madeProgress { recordProgress() } else { withoutProgress += 1 }
        if code == .checksumMismatch { mismatches += 1 }
    }

    /// Resets the counts that a new byte ends.
    public mutating func recordProgress() {
        withoutProgress = 0
        urlRefreshes = 0
        crashes = 0
    }

    /// The crashes after which a download waits for its user: whatever it is that ends the process is not to end it
    /// again and again, and with it every other download.
    static let crashesToWait = 3
    /// The same where bytes came between them. An origin can send one before each.
    static let crashesToWaitDespiteProgress = 10

    /// Counts an end of the process that was no orderly stop.
    ///
    /// - Returns: The number of crashes, if the download must wait for `resume` because of them; otherwise nil.
    public mutating func recordCrash() -> Int? {
        crashes += 1
        crashesDespiteProgress += 1
        if crashes >= Self.crashesToWait { return crashes }
        return crashesDespiteProgress >= Self.crashesToWaitDespiteProgress ? crashesDespiteProgress : nil
    }

    /// Resets the counts of crashes, as only an orderly stop and the user can.
    public mutating func forgetCrashes() {
        crashes = 0
        crashesDespiteProgress = 0
    }

    /// The number of failures that a retry limit counts: those in a row. For wrong files it counts every one, because
    /// each fetches all its bytes before it is known to be wrong.
    public func failures(with code: DownloadError.Code) -> Int {
        code == .checksumMismatch ? mismatches : sameFailures
    }
}
