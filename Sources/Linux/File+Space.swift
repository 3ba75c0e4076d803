import CLinux
import Glibc

extension File {
    /// Takes room on the device for the first `length` bytes without changing the file's size.
    ///
    /// - Returns: False when the file system cannot reserve; writing works all the same.
    /// - Throws: ``SystemError/isOutOfSpace`` when there is too little room, ``SystemError/isFileTooLarge``
    ///   when no file may be as long.
    @discardableResult
    public func allocate(to length: Int64) throws(SystemError) -> Bool {
        // fallocate(2) refuses an empty range with EINVAL.
        guard length > 0 else { return true }
        do {
            try descriptor.use("fallocate") {
                shim_fallocate($0, CInt(SHIM_FALLOC_FL_KEEP_SIZE), 0, off_t(length))
            }
            return true
        } catch  where error.code == EOPNOTSUPP || error.code == ENOSYS {
            return false
        }
    }

    /// Sets the size: cuts off what is behind it, or extends the file by a hole that reads as zeros.
    public func truncate(to length: Int64) throws(SystemError) {
        try descriptor.use("ftruncate") { ftruncate($0, off_t(length)) }
    }
}
