import Core

/// The limits and times of a ``HostGovernor``.
public struct HostRules: Hashable, Sendable {
    /// After a refusal that lowered the limit, others within this time belong to the same burst and do not halve it
    /// again.
    public var burst: Duration = .seconds(1)
    /// The time with accepted responses after which the limit is doubled.
    public var timeToDouble: Duration = .seconds(5)
    /// The time without a refusal after which the limit is doubled without a response: transfers may take long.
    public var timeWithoutResponse: Duration = .seconds(30)
    /// How long an accepted or refused request counts as evidence.
    public var evidenceTime: Duration = .seconds(60)
    /// The bounds for a `Retry-After`.
    public var shortestThrottle: Duration = .seconds(1)
    public var longestThrottle = HostWaitReason.longest
    /// The number of consecutive failures that open the breaker, and the minimum number of downloads among them: a
    /// single download may itself be the cause.
    public var failuresToOpen = 5
    public var downloadsToOpen = 2
    /// The time until the first probe. It doubles after each failed probe, up to `longestPause`.
    public var firstPause: Duration = .seconds(30)
    public var longestPause: Duration = .seconds(300)

    public init() {}
}
