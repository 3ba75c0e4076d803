/// A new download as a client requests it. It equals the stored request, except that its secrets are not encrypted yet.
public struct RequestedDownload: Hashable, Sendable {
    /// Its URLs are not encrypted, and its `credentials` are nil.
    public var request: DownloadRequest
    /// The folder of the file, in place of the `directory` of the request.
    public var directory: DirectoryTemplate?
    /// Not encrypted.
    public var credentials: RequestCredentials
    /// False creates the download in the state `paused`.
    public var starts: Bool

    public init(
        request: DownloadRequest,
        directory: DirectoryTemplate? = nil,
        credentials: RequestCredentials = RequestCredentials(),
        starts: Bool = true
    ) {
        self.request = request
        self.directory = directory
        self.credentials = credentials
        self.starts = starts
    }
}

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

/// A request with the dedupe key of an existing download, but for a different file.
public struct DedupeConflict: Hashable, Sendable {
    /// The file as a request describes it.
    public struct Description: Hashable, Sendable {
        public let url: DownloadURL
        public let expected: Expected

        public init(url: DownloadURL, expected: Expected) {
            self.url = url
            self.expected = expected
        }

        init(_ request: DownloadRequest) { self.init(url: request.url, expected: request.expected) }
    }

    /// A member in which the two requests differ.
    public enum Member: String, Hashable, Sendable {
        case url, size, digests
    }

    public let download: DownloadID
    public let existing: Description
    public let requested: Description
    public let members: [Member]

    public init(download: DownloadID, existing: Description, requested: Description, members: [Member]) {
        self.download = download
        self.existing = existing
        self.requested = requested
        self.members = members
    }

    /// - Returns: nil if `request` may join `download`. Its URL must be the same, or come from the same `refresh_url`,
    ///   and its expected size and digests must be those of the download or of the finished file.
    public init?(_ request: DownloadRequest, joining download: Download) {
        let existing = download.request
        let isSameLink =
            switch (existing.refreshURL, request.refreshURL) {
            case (let known?, let given?): SealedURL.isSame(known, given)
            default: false
            }
        var members: [Member] = []
        if !isSameLink && !SealedURL.isSame(existing.url, request.url) { members.append(.url) }
        let file = download.state == .completed ? download.file : nil
        let sizes = [existing.expected.sizeBytes, file?.sizeBytes]
        if let size = request.expected.sizeBytes, !sizes.contains(size) { members.append(.size) }
        let digests = existing.expected.digests + (file?.digests ?? [])
        if !request.expected.digests.allSatisfy(digests.contains) { members.append(.digests) }
        guard !members.isEmpty else { return nil }
        self.init(
            download: download.id,
            existing: Description(existing),
            requested: Description(request),
            members: members
        )
    }
}
