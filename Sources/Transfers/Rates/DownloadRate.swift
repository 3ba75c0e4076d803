/// The limit on one download's rate while it runs, shared by all its connections.
public final class DownloadRate: Sendable {
    let number: Int
    private let limiter: RateLimiter

    init(number: Int, limiter: RateLimiter) {
        self.number = number
        self.limiter = limiter
    }

    deinit {
        limiter.forget(rate: number)
    }

    /// Sets another limit, which holds at once.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: nil for no limit.
    ///   - revision: Of the download that says so; an older one than was heard of changes nothing.
    public func set(_ bytesPerSecond: Int64?, revision: Int64) {
        limiter.setRate(number, to: bytesPerSecond, revision: revision)
    }

    /// Whether any limit holds for what it takes from a host: its own, or one that it shares.
    func isLimited(at authority: String) -> Bool { limiter.strictest(for: self, at: authority) != nil }

    /// In bytes per second; nil for no limit.
    public var bytesPerSecond: Int64? { limiter.bytesPerSecond(ofRate: number) }
}
