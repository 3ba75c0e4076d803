/// A failed attempt, with all that decides about the next one.
public struct TransferFailure: Error, Hashable, Sendable {
    public let error: DownloadError
    public let failureClass: FailureClass
    /// How long the origin asked to be left alone.
    public let retryAfter: RetryAfter?
    /// Who answered so, as `host:port`, which after a redirect is not the source URL's host; nil where nobody did.
    public var authority: String?
    /// What really failed, where a client is not to know it: for the log alone.
    public var cause: String?

    /// - Parameter failureClass: nil for the error's own class.
    public init(
        _ error: DownloadError,
        failureClass: FailureClass? = nil,
        retryAfter: RetryAfter? = nil,
        authority: String? = nil
    ) {
        self.error = error
        self.failureClass = failureClass ?? error.failureClass
        self.retryAfter = retryAfter
        self.authority = authority
    }
}
