import Glibc

/// The time of day. It may jump, so durations come from `ContinuousClock` instead.
public enum WallClock {
    /// Milliseconds since 1970-01-01 UTC, `clock_gettime(2)`.
    public static var nowMilliseconds: Int64 {
        var time = timespec()
        // CLOCK_REALTIME always exists, and the pointer is good.
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
