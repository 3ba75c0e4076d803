/// A validated download that is ready to be stored.
public struct NewDownload: Sendable {
    public var id: DownloadID
    public var request: DownloadRequest
    /// False creates the download in the state `paused`.
    public var starts: Bool
    public var deadlineAt: Timestamp

    public init(id: DownloadID, request: DownloadRequest, starts: Bool, deadlineAt: Timestamp) {
        self.id = id
        self.request = request
        self.starts = starts
        self.deadlineAt = deadlineAt
    }
}

/// The result of one creation request, alone or in a batch.
public enum Creation: Sendable {
    case created(Download)
    /// A download with the same dedupe key exists already.
    case existing(Download)
    /// The request was refused, and nothing was created.
    case refused(CreationRefusal)

    /// The created or existing download.
    public var download: Download? {
        switch self {
        case .created(let download), .existing(let download): download
        case .refused: nil
        }
    }
}

/// Why a valid download cannot be created now.
public enum CreationRefusal: Hashable, Sendable {
    /// The queue has reached its limit.
    case queueFull
    /// The session's quota has too little space for the expected size of the file.
    case quotaExceeded
    /// The session is sealed and accepts no new downloads.
    case sessionSealed
    /// No webhook has this id.
    ///
    /// - `at`: the index in ``DownloadRequest/webhookIDs``.
    case unknownWebhook(at: Int)
    /// The download with the dedupe key is for a different file.
    case dedupeConflict(DedupeConflict)
    /// The maximum number of callback URLs have joined the download (``DownloadRequest/maximumJoined``).
    case tooManyCallbacks
}

/// The result of creating downloads together.
public enum CreationOutcome: Sendable {
    /// The result of each requested download, in order.
    case made([Creation])
    /// In an atomic request, the first refused download. None was created.
    case refused(CreationRefusal, at: Int)
}
