import Glibc

/// What the clocks on the wall show here: by `TZ`, else by `/etc/localtime` (`tzset(3)`).
public enum LocalTime {
    /// How far they stand ahead of UTC at an instant, daylight saving time included.
    public static func utcOffsetMinutes(atMilliseconds milliseconds: Int64) -> Int {
        // localtime_r(3) need not look at TZ, which is read once anyway.
        tzset()
        var seconds = time_t(milliseconds / 1000)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return 0 }
        return fields.tm_gmtoff / 60
    }
}
