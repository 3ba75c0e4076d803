import CLinux
import Glibc

/// An open file, read and written at explicit offsets, so that several writers may share it.
///
/// Every call may block on the device: make it on a ``BlockingPool``. The file is closed with its last
/// reference; ``close()`` is for those who must know that it worked.
public final class File: Sendable {
    let descriptor: Descriptor

    init(descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Opens a path that the operator named; links are followed.
    ///
    /// A name that comes from a request or an origin goes through ``Directory/openFile(named:access:mode:)``.
    /// - Parameter mode: The permissions of a new file, before the umask.
    public convenience init(path: String, access: FileAccess, mode: UInt32 = 0o600) throws(SystemError) {
        let path = try PathRules.checkedPath(path)
        self.init(
            descriptor: try Descriptor(opening: "openat2") {
                shim_openat2(AT_FDCWD, path, access.flags | O_CLOEXEC, access.creates ? mode : 0, 0)
            }
        )
    }

    /// Size, identity, times and permissions.
    public func information() throws(SystemError) -> FileInformation {
        try descriptor.information()
    }

    /// Closes; does nothing when closed already.
    ///
    /// An error means that bytes since the last ``synchronizeData()`` may be lost; the file is closed all the
    /// same (`close(2)`). Closing while another call is under way, or using the file afterwards, is a bug and
    /// traps.
    public func close() throws(SystemError) {
        try descriptor.close()
    }
}
