/// The content of a request to `refresh_url`.
public struct URLRefreshContext: Hashable, Sendable {
    public var download: DownloadID
    /// The refused URL.
    public var url: DownloadURL
    /// The failure that caused the request.
    public var reason: DownloadError
    /// The ETag of the stored file, as received; nil if there is none.
    public var etag: String?
    public var totalBytes: Int64?
    public var receivedBytes: Int64
    /// The number of attempts in the run.
    public var attempt: Int
    public var at: Timestamp

    /// - Parameter refusedURL: The refused URL, not encrypted; in the download it is encrypted.
    public init(_ download: Download, url refusedURL: DownloadURL, reason: DownloadError, at now: Timestamp) {
        self.download = download.id
        url = refusedURL
        self.reason = reason
        etag = download.source.etag
        totalBytes = download.progress.totalBytes
        receivedBytes = download.progress.durableBytes
        attempt = download.attempts.count
        at = now
    }
}
