/// Where the bytes of one answer pass the limits on their rate.
final class RateGate: Sendable {
    private let number: Int
    private let limiter: RateLimiter

    init(number: Int, limiter: RateLimiter) {
        self.number = number
        self.limiter = limiter
    }

    deinit {
        limiter.close(gate: number)
    }

    /// How many of these bytes may be taken now, at least one; nil to wait until the answer is resumed.
    func allowance(for byteCount: Int) -> Int? {
        guard limiter.isLimiting else { return byteCount }
        return limiter.allowance(for: byteCount, at: number)
    }

    /// Notes that so many of those that were allowed are taken.
    func spend(_ byteCount: Int) {
        guard limiter.isLimiting else { return }
        limiter.spend(byteCount, at: number)
    }
}
