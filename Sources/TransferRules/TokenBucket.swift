import Core

/// A limit on bytes per second: credit accumulates at the rate, up to a burst. Bytes beyond the credit cause a wait.
///
/// Bytes are counted once they are there, so one take may overdraw by its whole size; the wait that it is answered
/// with makes up for it. Takers share a bucket by sharing the value: each adds to the debt that the next one waits
/// for. Where several limits apply, take from each bucket and wait for the longest.
public struct TokenBucket: Hashable, Sendable {
    /// In bytes per second; nil for no limit.
    public private(set) var rate: Int64?
    /// The bytes that may be consumed without a wait; negative while bytes are owed.
    private var credit: Double = 0
    /// What `credit` is the credit of.
    private var updated: Duration

    /// The credit that gathers at the most is that of this time, ``leastBurst`` at the least.
    public static let burstTime: Duration = .milliseconds(100)
    /// The size of one read of a socket, in bytes.
    public static let leastBurst: Int64 = 16 << 10

    /// Begins without credit.
    ///
    /// - Parameters:
    ///   - rate: In bytes per second, at least 1; nil for no limit. A limit of zero is a pause, which is not a
    ///     bucket's matter.
    ///   - instant: Since any instant that stays the same for the bucket; so are the later ones.
    public init(rate: Int64?, at instant: Duration) {
        self.rate = rate.map { max($0, 1) }
        updated = instant
    }

    /// Takes bytes that have come.
    ///
    /// - Returns: How long to wait before further bytes; zero for no wait.
    public mutating func consume(_ bytes: Int64, at instant: Duration) -> Duration {
        guard rate != nil else { return .zero }
        refill(until: instant)
        credit -= Double(max(bytes, 0))
        return wait
    }

    /// How long to wait from `instant` on. It grows with bytes that others consume, and changes with the rate.
    public func wait(at instant: Duration) -> Duration {
        var bucket = self
        bucket.refill(until: instant)
        return bucket.wait
    }

    /// Sets another rate from `instant` on.
    ///
    /// A lower rate does not lengthen a wait that was announced: bytes owed at a higher rate are paid at that rate. A
    /// higher rate shortens the wait.
    public mutating func setRate(_ newRate: Int64?, at instant: Duration) {
        refill(until: instant)
        let newRate = newRate.map { max($0, 1) }
        if let rate, let newRate, newRate < rate, credit < 0 { credit *= Double(newRate) / Double(rate) }
        if rate == nil || newRate == nil { credit = 0 }
        rate = newRate
        credit = min(credit, burst)
    }

    private var burst: Double {
        guard let rate else { return 0 }
        return max(Double(rate) * Self.burstTime.inSeconds, Double(Self.leastBurst))
    }

    private var wait: Duration {
        guard let rate, credit < 0 else { return .zero }
        // A debt of years is one of a wrong size, and must not overflow.
        return .seconds(min(-credit / Double(rate), 366 * 86_400))
    }

    /// An instant before the last one counts as that.
    private mutating func refill(until instant: Duration) {
        guard instant > updated else { return }
        if let rate { credit = min(credit + Double(rate) * (instant - updated).inSeconds, burst) }
        updated = instant
    }
}
