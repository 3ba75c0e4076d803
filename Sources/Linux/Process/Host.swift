import CLinux
import Glibc

/// A look-up by the system's resolver.
public enum HostName {
    /// Whether the resolver says that the name does not exist, rather than that it cannot tell now (`getaddrinfo(3)`:
    /// `EAI_NONAME`). It may take as long as the resolver waits for its servers.
    public static func isUnknown(_ name: String) -> Bool {
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, nil, &addresses)
        if let addresses = unsafe addresses { unsafe freeaddrinfo(addresses) }
        return code == EAI_NONAME
    }
}

/// Local time, by `TZ`, else by `/etc/localtime` (`tzset(3)`).
public enum LocalTime {
    /// Local time minus UTC at an instant, daylight saving time included.
    public static func utcOffsetMinutes(atMilliseconds milliseconds: Int64) -> Int {
        // localtime_r(3) need not look at TZ, which is read once anyway.
        tzset()
        var seconds = time_t(milliseconds / 1000)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return 0 }
        return fields.tm_gmtoff / 60
    }
}

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

/// Random bytes of the kernel, good enough for keys: `getrandom(2)`.
public enum RandomBytes {
    /// Early after boot it waits until the kernel has enough entropy.
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

    /// `count` random bytes as twice as many lower-case hexadecimal digits.
    public static func hexadecimal(count: Int) throws(SystemError) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = try make(count: count)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
