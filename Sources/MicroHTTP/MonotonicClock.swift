internal import Glibc

/// Milliseconds of `CLOCK_MONOTONIC_COARSE`: a few milliseconds coarse, which deadlines of seconds bear, and cheap
/// enough to be read for each request.
enum MonotonicClock {
    /// Later than any deadline.
    static let never = Int64.max

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds, at least one.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
