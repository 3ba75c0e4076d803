/// A change of the connection limit of a host.
public struct HostEvent: Hashable, Sendable {
    public let at: Timestamp
    public let cause: Cause
    /// The new limit.
    public let connectionLimit: Int

    public init(at: Timestamp, cause: Cause, connectionLimit: Int) {
        self.at = at
        self.cause = cause
        self.connectionLimit = connectionLimit
    }

    public enum Cause: String, CaseIterable, Hashable, Sendable {
        /// The host responded with 429.
        case tooManyRequests = "too_many_requests"
        /// It responded with 503 for more than one URL, or with `Retry-After`.
        case unavailable
        /// It reset a connection before the first byte of a response, or a response of another status had
        /// `Retry-After`.
        case refused
        /// Several downloads failed in a row.
        case failures
        /// It served requests for some time.
        case success

        /// The event in words, for the middle of a sentence.
        var text: String {
            switch self {
            case .tooManyRequests: "a 429"
            case .unavailable: "a 503"
            case .refused: "a refused connection"
            case .failures: "failures of several downloads"
            case .success: "good answers"
            }
        }
    }
}
