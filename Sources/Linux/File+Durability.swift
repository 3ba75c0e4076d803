import CLinux
import Glibc

extension File {
    /// Waits until the bytes, and the length that is needed to read them, are on the device: `fdatasync(2)`.
    ///
    /// An error means that anything since the last success may be lost, and that a second call may succeed
    /// without the bytes being there: the kernel reports a failed write-back once and marks its pages clean.
    /// The bytes have to be written again through a new descriptor.
    public func synchronizeData() throws(SystemError) {
        try descriptor.use("fdatasync") { fdatasync($0) }
    }

    /// Waits for permissions and times too, `fsync(2)`; an error means what it does for ``synchronizeData()``.
    public func synchronize() throws(SystemError) {
        try descriptor.use("fsync") { fsync($0) }
    }

    /// Begins to write a range to the device, so that a later ``synchronizeData()`` has less to wait for.
    ///
    /// A hint that proves nothing about durability: `sync_file_range(2)` writes no metadata and empties no
    /// device cache. Where the file system cannot do it, nothing happens.
    public func startWriteback(offset: Int64, length: Int64) throws(SystemError) {
        do {
            try descriptor.use("sync_file_range") {
                shim_sync_file_range($0, off_t(offset), off_t(length), UInt32(SHIM_SYNC_FILE_RANGE_WRITE))
            }
        } catch  where error.code == ENOSYS || error.code == ESPIPE || error.code == EOPNOTSUPP {
            // A hint that nobody can take is no fault; synchronizeData() does all of the work then.
        }
    }
}
