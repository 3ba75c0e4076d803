import CLinux
import Glibc

/// Local time, from `TZ` or otherwise `/etc/localtime` (`tzset(3)`).
public enum LocalTime {
    /// The value of `TZ` if it names no time zone that the C library finds; it then uses UTC without a word. nil if it
    /// is unset, or a rule such as `CET-1CEST` (tzset(3)).
    public static var unknownZone: String? {
        guard let value = unsafe getenv("TZ").map({ unsafe String(cString: $0) }) else { return nil }
        let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
        guard !name.isEmpty, name != "UTC", name != "GMT" else { return nil }
        let folder = unsafe getenv("TZDIR").map { unsafe String(cString: $0) } ?? "/usr/share/zoneinfo"
        let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        let isRule = !value.hasPrefix(":") && !name.contains("/") && name.utf8.contains { (0x30...0x39).contains($0) }
        return unsafe access(path, R_OK) == 0 || isRule ? nil : name
    }

    /// Local time minus UTC at an instant, in minutes. It includes daylight saving time.
    public static func utcOffsetMinutes(atMilliseconds milliseconds: Int64) -> Int {
        // localtime_r(3) is not required to read TZ, so tzset() is called first.
        tzset()
        var seconds = time_t(milliseconds / 1000)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return 0 }
        return fields.tm_gmtoff / 60
    }
}
