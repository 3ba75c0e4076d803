/// An instant: milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The instant's whole seconds since the epoch.
    public var seconds: Int64 { milliseconds / 1000 }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant `duration` later; saturates at the ends of the range.
    public static func + (time: Self, duration: Duration) -> Self {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        guard overflow else { return Self(milliseconds: sum) }
        return Self(milliseconds: duration < .zero ? .min : .max)
    }

    /// The instant `duration` earlier; saturates at the ends of the range.
    public static func - (time: Self, duration: Duration) -> Self { time + (.zero - duration) }

    /// The time from `earlier` to `later`; negative where they stand the other way round.
    public static func - (later: Self, earlier: Self) -> Duration {
        let (difference, overflow) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(overflow ? (later < earlier ? .min : .max) : difference)
    }

    /// Whether the instant is in the future, and at most `longest` away. An instant meant for that time that is further
    /// ahead is from before the clock was set back.
    public func isAhead(of now: Self, within longest: Duration) -> Bool { now < self && self - now <= longest }
}

extension Duration {
    /// The duration cut to milliseconds; saturates at the ends of the range.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !isTooLong && !overflows else { return seconds < 0 ? .min : .max }
        return sum
    }

    /// The duration in seconds.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// The source of time and of waits: the system's clocks, or a test's clock.
///
/// Rules get an instant as a parameter; only running parts (scheduler, dispatcher, worker) have a source.
public struct TimeSource: Sendable {
    private let readNow: @Sendable () -> Timestamp
    private let readElapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - now: The wall clock.
    ///   - elapsed: The time since an instant that stays the same, on the clock that `sleep` waits on.
    ///   - sleep: Waits on a clock that a change of the wall clock does not move; throws `CancellationError`.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        readNow = now
        readElapsed = elapsed
        wait = sleep
    }

    public var now: Timestamp { readNow() }

    /// Monotonic: it does not depend on the wall clock.
    public var elapsed: Duration { readElapsed() }

    public func sleep(for duration: Duration) async throws {
        try await wait(duration)
    }
}

extension Double {
    /// The number itself within 0 to 1, else the nearest end; 0 for what is no number.
    public var clampedToUnit: Double { self > 0 ? min(self, 1) : 0 }
}
