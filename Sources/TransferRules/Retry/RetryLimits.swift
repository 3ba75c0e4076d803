import Core
import HTTPFields

/// Limits on the retries after one kind of transient failure.
public struct RetryLimits: Hashable, Sendable {
    /// The maximum number of retries after consecutive failures of this kind; nil if only the time is limited.
    public let retries: Int?
    /// The minimum delay before each retry.
    public let minimumDelay: Duration
    /// The time without progress after which the failure is permanent, if ``RetryPolicy/giveUpAfter`` is not shorter;
    /// nil for that.
    public let giveUpAfter: Duration?

    public init(retries: Int? = nil, minimumDelay: Duration = .zero, giveUpAfter: Duration? = nil) {
        self.retries = retries
        self.minimumDelay = minimumDelay
        self.giveUpAfter = giveUpAfter
    }

    /// Limited only by time, because networks recover.
    public static let untilGivenUp = RetryLimits()
    /// For a host name that does not exist. It is more often mistyped than about to be registered.
    public static let unknownName = RetryLimits(giveUpAfter: .seconds(3600))
    /// For a missing file, which a server may be about to get. ``RetryPolicy/notFoundRetries`` replaces the number.
    public static let notFound = RetryLimits(retries: 1, minimumDelay: .seconds(30))
    /// For a response by a middlebox in place of the origin, such as a login page or a captive portal. Its user needs
    /// time.
    public static let middlebox = RetryLimits(minimumDelay: .seconds(60))
    /// For a web page in place of the file, from the origin's own address.
    public static let unexpectedPage = RetryLimits(retries: 3, minimumDelay: .seconds(60))

    public static func retries(_ count: Int) -> RetryLimits { RetryLimits(retries: count) }
}
