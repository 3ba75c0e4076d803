import CLinux
import Glibc

extension File {
    /// Sets the permission bits exactly; the umask has no say here.
    public func setPermissions(_ permissions: UInt32) throws(SystemError) {
        try descriptor.use("fchmod") { fchmod($0, mode_t(permissions)) }
    }
}
