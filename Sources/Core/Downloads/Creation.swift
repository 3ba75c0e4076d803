/// A download as a client requests it: the request as stored, except that its secrets are not encrypted yet.
public struct RequestedDownload: Hashable, Sendable {
    /// Its URLs are open, and its credentials nil.
    public var request: DownloadRequest
    /// In the clear.
    public var credentials: RequestCredentials
    /// False creates it paused.
    public var starts: Bool

    public init(
        request: DownloadRequest,
        credentials: RequestCredentials = RequestCredentials(),
        starts: Bool = true
    ) {
        self.request = request
        self.credentials = credentials
        self.starts = starts
    }
}

/// A download that was validated, and is ready to be recorded.
public struct NewDownload: Sendable {
    public var id: DownloadID
    public var request: DownloadRequest
    /// False creates it paused.
    public var starts: Bool
    public var deadlineAt: Timestamp

    public init(id: DownloadID, request: DownloadRequest, starts: Bool, deadlineAt: Timestamp) {
        self.id = id
        self.request = request
        self.starts = starts
        self.deadlineAt = deadlineAt
    }
}

/// The result of one request to create a download, alone or in a batch.
public enum Creation: Sendable {
    case created(Download)
    /// The existing download with the dedupe key.
    case existing(Download)
    /// Nothing was created.
    case refused(CreationRefusal)

    /// The created or existing download.
    public var download: Download? {
        switch self {
        case .created(let download), .existing(let download): download
        case .refused: nil
        }
    }
}

/// Why a valid download is not created now.
public enum CreationRefusal: Hashable, Sendable {
    /// The queue holds as many downloads as the limit allows.
    case queueFull
    /// The session has no room for a file of the size that is expected.
    case quotaExceeded
    /// The session accepts no new downloads.
    case sessionSealed
    /// There is no webhook of this id.
    ///
    /// - `at`: its place among ``DownloadRequest/webhookIDs``.
    case unknownWebhook(at: Int)
    /// The download with the dedupe key is of another file.
    case dedupeConflict(DedupeConflict)
    /// The maximum of callback URLs has joined the download (``DownloadRequest/maximumJoined``).
    case tooManyCallbacks
}

/// A request with the dedupe key of a download, but another file.
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

    /// A member that differs.
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

    /// - Returns: nil if `request` may join `download`: its URL is the same, or one of the URLs of the same
    ///   `refresh_url`; and the download expects what it expects, or the finished file has it.
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
