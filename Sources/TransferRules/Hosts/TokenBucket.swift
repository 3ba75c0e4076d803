import Core

/// Limits the rate of bytes: credit accumulates at the rate, up to a maximum. Bytes above the credit require a wait.
///
/// Bytes are counted after they have arrived, so one call may overdraw the credit by its whole size; the returned wait
/// compensates for it. Several users share a bucket by sharing the value: the bytes of each increase the wait of the
/// next. If several limits apply, consume from each bucket and wait for the longest time.
public struct TokenBucket: Hashable, Sendable {
    /// In bytes per second; nil for no limit.
    public private(set) var rate: Int64?
    /// The bytes that may be consumed without a wait; negative after an overdraft.
    private var credit: Double = 0
    /// The instant for which `credit` is valid.
    private var updated: Duration

    /// The maximum credit is what accumulates in this time, but at least ``leastBurst``.
    public static let burstTime: Duration = .milliseconds(100)
    /// The size of one socket read, in bytes.
    public static let leastBurst: Int64 = 16 << 10

    /// Creates a bucket without credit.
    ///
    /// - Parameters:
    ///   - rate: In bytes per second, at least 1; nil for no limit. For a limit of zero, pause the transfer instead.
    ///   - instant: The time since a fixed instant, which is the same for all calls.
    public init(rate: Int64?, at instant: Duration) {
        self.rate = rate.map { max($0, 1) }
        updated = instant
    }

    /// Consumes bytes that have arrived.
    ///
    /// - Returns: How long to wait before reading further bytes; zero for no wait.
    public mutating func consume(_ bytes: Int64, at instant: Duration) -> Duration {
        guard rate != nil else { return .zero }
        refill(until: instant)
        credit -= Double(max(bytes, 0))
        return wait
    }

    /// How long to wait from `instant` on. Bytes that others consume increase it, and a new rate changes it.
    public func wait(at instant: Duration) -> Duration {
        var bucket = self
        bucket.refill(until: instant)
        return bucket.wait
    }

    /// Changes the rate from `instant` on.
    ///
    /// A lower rate does not lengthen a wait that was already returned: bytes consumed at the higher rate are paid off
    /// at that rate. A higher rate shortens the wait.
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
        // Limited to 366 days, so that a wrong byte count cannot overflow.
        return .seconds(min(-credit / Double(rate), 366 * 86_400))
    }

    /// An instant before the last one has no effect.
    private mutating func refill(until instant: Duration) {
        guard instant > updated else { return }
        if let rate { credit = min(credit + Double(rate) * (instant - updated).inSeconds, burst) }
        updated = instant
    }
}
