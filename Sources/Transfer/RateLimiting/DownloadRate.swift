import Core

/// The rate limit of one running download, shared by all its connections.
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

    /// Changes the limit. Running transfers use it immediately.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: The limit; nil for none.
    ///   - revision: The revision of the download. A call with an older revision than the last is ignored.
    public func set(_ bytesPerSecond: Int64?, revision: Int64) {
        limiter.setRate(number, to: bytesPerSecond, revision: revision)
    }

    /// Whether any limit, its own or a shared one, applies to the download at a host.
    func isLimited(at authority: String) -> Bool { limiter.strictest(for: self, at: authority) != nil }

    /// The limit, in bytes per second; nil for none.
    public var bytesPerSecond: Int64? { limiter.bytesPerSecond(ofRate: number) }
}
