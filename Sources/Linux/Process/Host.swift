import CLinux
import Glibc

/// Name resolution by the system's resolver.
public enum HostName {
    /// Whether the resolver reports that the name does not exist (`getaddrinfo(3)`: `EAI_NONAME`). False if the name
    /// exists or the resolver has a temporary failure. Blocks for up to the resolver's own timeout.
    public static func isUnknown(_ name: String) -> Bool {
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, nil, &addresses)
        if let addresses = unsafe addresses { unsafe freeaddrinfo(addresses) }
        return code == EAI_NONAME
    }
}

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

/// The time of day. The clock may be set, so measure durations with `ContinuousClock` instead.
public enum WallClock {
    /// Milliseconds since 1970-01-01 UTC, `clock_gettime(2)`.
    public static var nowMilliseconds: Int64 {
        var time = timespec()
        // It cannot fail: CLOCK_REALTIME always exists, and the pointer is valid.
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Random bytes from the kernel, suitable for keys (`getrandom(2)`).
public enum RandomBytes {
    /// Soon after boot it blocks until the kernel has enough entropy.
    public static func make(count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            done += try systemCall("getrandom") {
                bytes.withUnsafeMutableBytes { buffer in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                    return getrandom(rest.baseAddress, rest.count, 0)
                }
            }
        }
        return bytes
    }

    /// `count` random bytes as `2 * count` lower-case hexadecimal digits.
    public static func hexadecimal(count: Int) throws(SystemError) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = try make(count: count)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
