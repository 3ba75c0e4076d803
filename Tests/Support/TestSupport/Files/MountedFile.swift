import Glibc

/// A file that is a mount point, so that it can be read and written, but not removed. It takes what a ``SmallDisk``
/// takes.
public final class MountedFile: Sendable {
    private let path: String

    public init(_ path: String) throws {
        guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { throw SmallDisk.NotMounted(code: errno) }
        self.path = path
    }

    deinit { unmount() }

    /// Makes it an ordinary file again.
    public func unmount() {
        umount2(path, CInt(MNT_DETACH))
    }
}
