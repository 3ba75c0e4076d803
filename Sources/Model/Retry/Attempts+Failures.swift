extension Download.Attempts {
    /// Counts a failed attempt in: what the back-off grows with, and what the limits of tries are held against.
    ///
    /// - Parameters:
    ///   - last: The code of the failure before this one; nil for the first of a run.
    ///   - madeProgress: Whether the attempt made bytes durable, which begins both counts anew.
    public mutating func note(
        _ code: DownloadError.Code,
        after last: DownloadError.Code?,
        madeProgress: Bool
    ) {
        sameFailures = !madeProgress && code == last ? sameFailures + 1 : 1
        withoutProgress = madeProgress ? 0 : withoutProgress + 1
    }
}
