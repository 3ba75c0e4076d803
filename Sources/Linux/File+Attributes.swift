import CLinux
import Glibc

extension File {
    /// Sets the permission bits exactly; the umask has no say here.
    public func setPermissions(_ permissions: UInt32) throws(SystemError) {
        try descriptor.use("fchmod") { fchmod($0, mode_t(permissions)) }
    }

    /// Sets when the contents last changed, in nanoseconds since 1970-01-01 UTC.
    public func setModificationTime(nanoseconds: Int64) throws(SystemError) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // utimensat(2) wants 0...999,999,999 nanoseconds, before 1970 too.
        let modified =
            rest < 0
            ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
            : timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        let times = [modified, modified]
        try descriptor.use("futimens") { futimens($0, times) }
    }
}
