/// What became of one request to make a download, alone or in a batch.
public enum Creation: Sendable {
    case created(Download)
    /// The download that has the dedupe key already.
    case existing(Download)
    /// Nothing was made.
    case refused(CreationRefusal)

    /// The download that there is now, made or found.
    public var download: Download? {
        switch self {
        case .created(let download), .existing(let download): download
        case .refused: nil
        }
    }
}

/// Why a download that is well formed is not made now.
public enum CreationRefusal: Hashable, Sendable {
    /// The queue holds as many downloads as the limit allows.
    case queueFull
    /// The session has no room for a file of the size that is expected.
    case quotaExceeded
    /// The session takes no new downloads.
    case sessionSealed
    /// There is no webhook of this id.
    ///
    /// - `at`: its place among ``DownloadRequest/webhookIDs``.
    case unknownWebhook(at: Int)
}
