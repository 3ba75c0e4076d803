/// An instant in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64 { milliseconds / 1000 }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant `duration` later, limited to the range of the type.
    public static func + (time: Self, duration: Duration) -> Self {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        guard overflow else { return Self(milliseconds: sum) }
        return Self(milliseconds: duration < .zero ? .min : .max)
    }

    /// The instant `duration` earlier, limited to the range of the type.
    public static func - (time: Self, duration: Duration) -> Self { time + (.zero - duration) }

    /// The time from `earlier` to `later`; negative if `later` is before `earlier`.
    public static func - (later: Self, earlier: Self) -> Duration {
        let (difference, overflow) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(overflow ? (later < earlier ? .min : .max) : difference)
    }

    /// Whether the instant is in the future by at most `longest`. An instant further ahead was set before the clock was
    /// set back.
    public func isAhead(of now: Self, within longest: Duration) -> Bool { now < self && self - now <= longest }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero and limited to the range of the type.
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

extension Double {
    /// The number limited to the range from 0 to 1; 0 for NaN.
    public var clampedToUnit: Double { self > 0 ? min(self, 1) : 0 }
}
