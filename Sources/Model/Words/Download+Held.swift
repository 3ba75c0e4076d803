extension Download {
    /// What counts against the limit of its session: its durable bytes, and while it runs the size that it will have,
    /// once that is known.
    public var heldBytes: Int64 {
        guard state == .running else { return progress.durableBytes }
        return max(progress.durableBytes, progress.totalBytes ?? 0)
    }
}

extension DownloadError {
    /// The session has no room for the bytes to come.
    public static let quotaExceeded = Self(
        .quotaExceeded,
        message: "The downloads of the session would hold more bytes than it may have."
    )
}
