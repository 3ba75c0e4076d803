/// A failed attempt, with all that decides about the next one.
public struct TransferFailure: Error, Hashable, Sendable {
    public let error: DownloadError
    public let failureClass: FailureClass
    /// How long the origin asked to be left alone.
    public let retryAfter: RetryAfter?

    /// - Parameter failureClass: nil for the error's own class.
    public init(_ error: DownloadError, failureClass: FailureClass? = nil, retryAfter: RetryAfter? = nil) {
        self.error = error
        self.failureClass = failureClass ?? error.failureClass
        self.retryAfter = retryAfter
    }
}
