import CLinux
import Glibc

/// Protects a process that has secrets and files. Call these functions before the process has threads.
public enum ProcessHardening {
    /// Prevents core dumps and access by other processes of the same user. Ignores two signals that would end the
    /// process.
    ///
    /// `PR_SET_DUMPABLE` 0 also forbids `ptrace(2)`; the core limit of 0 stays in force if the kernel resets that
    /// attribute (`prctl(2)`). With `SIGPIPE` and `SIGXFSZ` ignored, a closed connection and a file above its limit
    /// become errors of the call (`EPIPE`, `EFBIG`). The operator's umask does not change.
    public static func apply() throws(SystemError) {
        try systemCall("prctl") { shim_set_dumpable(0) }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        try systemCall("setrlimit") { shim_setrlimit(CInt(SHIM_RLIMIT_CORE), &none) }
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Ignores `SIGHUP`: there is nothing to reload, and a closed terminal must not end the process.
    public static func ignoreHangUp() { signal(SIGHUP, SIG_IGN) }

    /// Raises the limit of open descriptors to the hard limit.
    ///
    /// - Returns: The new limit.
    @discardableResult
    public static func raiseDescriptorLimit() throws(SystemError) -> Int {
        var limit = rlimit()
        try systemCall("getrlimit") { shim_getrlimit(CInt(SHIM_RLIMIT_NOFILE), &limit) }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            try systemCall("setrlimit") { shim_setrlimit(CInt(SHIM_RLIMIT_NOFILE), &limit) }
        }
        return Int(clamping: limit.rlim_cur)
    }
}

/// The environment variables of the process.
public enum ProcessEnvironment {
    /// Removes variables, so that no library reads them. Call it before there are other threads, because unsetenv(3)
    /// and getenv(3) are not thread-safe together.
    public static func remove(_ names: [String]) {
        for name in names { unsetenv(name) }
    }
}

/// The tuning of the C library's allocator.
public enum MemoryTuning {
    /// Tunes the allocator for threads that allocate and free in bursts: it keeps freed memory up to a limit for the
    /// next burst, and uses few arenas.
    ///
    /// With the defaults, each transaction of the database returns its pages to the kernel, and the next one faults
    /// them in again as zeroed pages (mallopt(3), `M_TRIM_THRESHOLD`, `M_TOP_PAD`, `M_ARENA_MAX`).
    public static func apply() {
        // If the library refuses a value, the default applies, which is only slower.
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
        _ = mallopt(M_TOP_PAD, 1 << 20)
        _ = mallopt(M_ARENA_MAX, 4)
    }
}
