import CLinux
import Glibc

/// What a process that holds secrets and writes files does first, before it has threads.
public enum ProcessHardening {
    /// Keeps memory out of core dumps and of other processes of the same user, and keeps two signals from
    /// ending the process.
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

    /// Keeps `SIGHUP` from ending the process: it has nothing to read anew, and goes on when its terminal is closed.
    public static func ignoreHangUp() { signal(SIGHUP, SIG_IGN) }

    /// Lets the process open as many descriptors as the machine allows it to.
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
