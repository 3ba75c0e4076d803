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
