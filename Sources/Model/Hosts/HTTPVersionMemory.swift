/// In which version of HTTP a host is to be asked, as far as its HTTP/2 was seen to fail, or its HTTP/1.1 to be
/// refused.
public struct HTTPVersionMemory: Hashable, Sendable {
    /// The failures of HTTP/2 after which it is left alone, how long one counts, and for how long it is left.
    public static let failuresToAvoid = 3
    static let failureAge = Duration.seconds(600)
    static let memory = Duration.seconds(3600)
    /// What fails within this time fails for one reason: requests share a connection.
    static let burst = Duration.seconds(1)

    private var failures: [Timestamp] = []
    private var avoidsHTTP2Until: Timestamp?
    private var needsHTTP2Until: Timestamp?

    public init() {}

    /// Whether nothing is remembered.
    public func isPristine(at now: Timestamp) -> Bool {
        !avoidsHTTP2(at: now) && !needsHTTP2(at: now) && failures.allSatisfy { now - $0 > Self.failureAge }
    }

    /// Whether it is to be asked in HTTP/1.1.
    public func avoidsHTTP2(at now: Timestamp) -> Bool { Self.holds(avoidsHTTP2Until, at: now) }

    /// Whether it does not let itself be asked in HTTP/1.1.
    public func needsHTTP2(at now: Timestamp) -> Bool { Self.holds(needsHTTP2Until, at: now) }

    /// Notes that a connection or a stream of HTTP/2 failed.
    public mutating func noteFailure(at now: Timestamp) {
        failures.removeAll { now - $0 > Self.failureAge || $0 > now }
        if let last = failures.last, now - last < Self.burst { return }
        failures.append(now)
        guard failures.count >= Self.failuresToAvoid, !needsHTTP2(at: now) else { return }
        avoidsHTTP2Until = now + Self.memory
        failures = []
    }

    /// Notes that TLS came about for HTTP/2 and not for HTTP/1.1.
    public mutating func noteRefusalOfHTTP1(at now: Timestamp) {
        needsHTTP2Until = now + Self.memory
        avoidsHTTP2Until = nil
    }

    /// An instant beyond the memory is from before the clock was set back.
    private static func holds(_ until: Timestamp?, at now: Timestamp) -> Bool {
        until.map { now < $0 && $0 <= now + memory } ?? false
    }
}
