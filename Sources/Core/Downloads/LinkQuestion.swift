/// What whoever gives links is told when it is asked for another one.
public struct URLRefreshContext: Hashable, Sendable {
    public var download: DownloadID
    /// The link that was refused, as ``SourceURL/text``.
    public var url: String
    /// Why it is asked.
    public var reason: DownloadError
    /// The entity tag of the file that was begun, as received.
    public var etag: String?
    public var totalBytes: Int64?
    public var receivedBytes: Int64
    /// How often the run was tried.
    public var attempt: Int
    public var at: Timestamp

    /// - Parameter link: The link that was refused; in the download it is sealed.
    public init(_ download: Download, link: SourceURL, reason: DownloadError, at now: Timestamp) {
        self.download = download.id
        url = link.text
        self.reason = reason
        etag = download.source.etag
        totalBytes = download.progress.totalBytes
        receivedBytes = download.progress.durableBytes
        attempt = download.attempts.count
        at = now
    }
}
