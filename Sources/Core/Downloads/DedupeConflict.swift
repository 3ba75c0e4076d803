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
