/// How often, after what wait and for how long a kind of transient failure is tried again.
public struct RetryLimits: Hashable, Sendable {
    /// How many further tries follow failures of this kind in a row; nil when time alone bounds them.
    public let tries: Int?
    /// The least time before each further try.
    public let minimumDelay: Duration
    /// The time without progress after which it is permanent; nil for the policy's own.
    public let giveUpAfter: Duration?

    public init(tries: Int? = nil, minimumDelay: Duration = .zero, giveUpAfter: Duration? = nil) {
        self.tries = tries
        self.minimumDelay = minimumDelay
        self.giveUpAfter = giveUpAfter
    }

    /// Bounded by time alone: networks come back.
    public static let untilGivenUp = RetryLimits()
    /// A name that does not exist is mistyped more often than it is about to appear.
    public static let unknownName = RetryLimits(giveUpAfter: .seconds(3600))
    /// A file that is missing: mirrors may lag behind by minutes, so three tries are spread over ten of them.
    public static let notFound = RetryLimits(tries: 3, minimumDelay: .seconds(200))
    /// Something in between answers for the origin: a login page, a captive portal. Its user needs a while.
    public static let middlebox = RetryLimits(minimumDelay: .seconds(60))
    /// A web page where a file was, from the origin's own address.
    public static let unexpectedPage = RetryLimits(tries: 3, minimumDelay: .seconds(60))

    public static func tries(_ count: Int) -> RetryLimits { RetryLimits(tries: count) }
}
