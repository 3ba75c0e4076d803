/// A connection that is not to be opened now: its host waits for something.
public struct HostWait: Error, Hashable, Sendable {
    /// The host, as `host:port`; after a redirect not the source URL's.
    public let authority: String
    /// When to ask again; nil for when a connection to the host closes.
    public let until: Timestamp?
    public let reason: HostHold

    public init(authority: String, until: Timestamp?, reason: HostHold) {
        self.authority = authority
        self.until = until
        self.reason = reason
    }

    private static let shortestDelay = Duration.milliseconds(250)

    /// How long a download waits that was not let in. Nobody tells it when a connection closes, so it looks again
    /// after five to fifteen seconds, and not all that were turned away do so at once.
    ///
    /// - Parameter random: From 0 up to but not including 1.
    public func delay(at now: Timestamp, random: Double) -> Duration {
        guard let until else { return .seconds(5) + .seconds(10) * random.clampedToUnit }
        return max(until - now, Self.shortestDelay)
    }

    /// Whether none of the host's downloads is to begin before ``until``: a probe may have its answer much sooner.
    public var concernsAll: Bool {
        switch reason {
        case .retryAfter, .failures: true
        case .cap, .probe: false
        }
    }
}
