import CLinux
import Glibc

/// The first steps of a process with secrets and files, before it has threads.
public enum ProcessHardening {
    /// Protects memory from core dumps and from other processes of the same user, and ignores two signals that would
    /// end the process.
    ///
    /// `PR_SET_DUMPABLE` 0 also forbids `ptrace(2)`; the core limit is for kernels that pipe dumps elsewhere.
    /// `SIGPIPE` and `SIGXFSZ` are ignored, so that a closed connection and a file over its limit are errors of
    /// the call (`EPIPE`, `EFBIG`). The umask stays the operator's.
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
    /// - Returns: The limit from now on.
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

/// The variables that the process was started with.
public enum ProcessEnvironment {
    /// Removes variables, so that no library finds them. Call it before there are other threads: setenv(3) and
    /// getenv(3) are not thread-safe together.
    public static func remove(_ names: [String]) {
        for name in names { unsetenv(name) }
    }
}

/// The tuning of the C library's allocator.
public enum MemoryTuning {
    /// For a service whose threads allocate and free in bursts: freed memory is kept for the next burst up to a limit,
    /// in few arenas.
    ///
    /// Without this, each transaction of the database returns its pages to the kernel, and the next one faults them in
    /// again, zeroed (mallopt(3), `M_TRIM_THRESHOLD`, `M_TOP_PAD`, `M_ARENA_MAX`).
    public static func apply() {
        // A refused value leaves the default in force, which is merely slower.
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
        _ = mallopt(M_TOP_PAD, 1 << 20)
        _ = mallopt(M_ARENA_MAX, 4)
    }
}
