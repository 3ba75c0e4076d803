import Model

/// A part of how the downloads are, as every stream is given it that asked for the same.
struct SnapshotPart: Sendable {
    let frame: [UInt8]
    /// Every event up to this one is in it, and in the parts before it.
    ///
    /// It was the last of the log just before the first part was read: what is shown is as it was then or later, and
    /// what happened since is told again.
    let sequence: Int64
    /// nil for the last part.
    let next: SnapshotPlace?
    /// Whether none of the downloads goes on.
    let haveAllEnded: Bool
}

/// Where a snapshot goes on.
struct SnapshotPlace: Hashable, Sendable {
    /// The last download that was shown.
    let id: DownloadID
    /// What the parts before showed (``SnapshotPart/sequence``).
    let sequence: Int64
}
