/// The numbers that a ``HostGovernor`` goes by.
public struct HostRules: Hashable, Sendable {
    /// Refusals within this time of one that lowered the cap are of the same burst, and lower it no further.
    public var burst: Duration = .seconds(1)
    /// The good answers after which one more connection is tried, and the least time for it.
    public var successesForMore = 16
    public var shortestTimeForMore: Duration = .seconds(1)
    /// The time without a refusal after which one more is tried, however few the answers are.
    public var timeForMore: Duration = .seconds(30)
    /// How long it counts that the host answered one download and refused another.
    public var evidenceTime: Duration = .seconds(60)
    /// The bounds of a `Retry-After`.
    public var shortestFreeze: Duration = .seconds(1)
    public var longestFreeze = HostHold.longest
    /// The failures in a row that open the breaker, and the downloads that must share them: one may be at fault itself.
    public var failuresToOpen = 5
    public var downloadsToOpen = 2
    /// The time until the first probe; doubles with each that fails.
    public var firstPause: Duration = .seconds(30)
    public var longestPause: Duration = .seconds(300)

    public init() {}
}
