/// A client's choices of time limits and retries for a download. A nil member means the setting of the service.
public struct RetryChoices: Hashable, Sendable {
    /// The time limit for connecting to an origin.
    public var connectTimeout: WholeSeconds?
    /// How long a connection may stay silent.
    public var silenceTimeout: WholeSeconds?
    /// The time without progress after which a run fails.
    public var giveUpAfter: WholeSeconds?
    /// Doubled with each attempt without progress, it is the longest delay before the next retry.
    public var delay: WholeSeconds?
    /// The longest delay before any retry.
    public var maxDelay: WholeSeconds?
    /// The HTTP statuses that are retried until the run is given up.
    public var statuses: HTTPStatuses?

    public init() {}
}

/// A duration in whole seconds.
public struct WholeSeconds: Hashable, Comparable, Sendable {
    public let count: Int64

    public init(_ count: Int64) {
        self.count = count
    }

    public var duration: Duration { .seconds(count) }

    public static func < (left: Self, right: Self) -> Bool { left.count < right.count }
}

/// A set of HTTP statuses of errors.
public struct HTTPStatuses: Hashable, Sendable {
    public static let range = 400...599
    /// In ascending order, without duplicates.
    public let sorted: [Int]

    /// - Parameter statuses: In ``range``; others are left out.
    public init(_ statuses: some Sequence<Int>) {
        sorted = Set(statuses.filter(Self.range.contains)).sorted()
    }

    public func contains(_ status: Int) -> Bool { sorted.contains(status) }

    /// Statuses that say "not now" (RFC 9110, 15.5.9, 15.6; RFC 6585; RFC 8470). CDNs send 520 to 524 when their own
    /// origin failed.
    public static let transient = Self([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524])
}
