import Glibc

/// A file system of exFAT, by FUSE: it has no hard links, no permissions and no owners, and before version 1.4 of its
/// driver no `RENAME_NOREPLACE`.
public final class ExFATDisk: Sendable {
    /// The folder that it made; another one if it is mounted elsewhere.
    public let folder = TemporaryFolder()
    private let image = TemporaryFolder()
    /// Where it is mounted.
    private let path: String

    /// Whether this process may mount one, and has the programs for it.
    public static let isAllowed = (try? ExFATDisk()) != nil

    /// Why a test of one was left out.
    public static let reason = "exFAT can be mounted by root alone, with the packages exfat-fuse and exfatprogs"

    /// The status of the command that failed.
    public struct NotMounted: Error {
        public let status: Int32
    }

    /// - Parameter path: Where to mount it; nil for ``folder``.
    public init(at path: String? = nil) throws {
        self.path = path ?? folder.path
        try run("truncate -s 64M \(file) && mkfs.exfat \(file)")
        try mount()
    }

    private var file: String { image("disk") }

    /// The file with the path of its block device.
    private var device: String { image("device") }

    /// Mounts it, with a block device of its own: an earlier one is in use while a file on it is open.
    public func mount() throws {
        try run("losetup --find --show \(file) >\(device)")
        do {
            try run("mount.exfat-fuse $(cat \(device)) \(path)")
        } catch {
            detach()
            throw error
        }
    }

    /// Kills its driver: each call on what is open fails from then on (`ENOTCONN`).
    public func fail() throws {
        try run("pkill -KILL -f \"exfat-fuse $(cat \(device)) \(path)\"")
        umount2(path, CInt(MNT_DETACH))
        detach()
    }

    private func detach() { try? run("losetup --detach $(cat \(device))") }

    private func run(_ commands: String) throws {
        let status = system("{ \(commands); } >>\(image("log")) 2>&1")
        guard status == 0 else { throw NotMounted(status: status) }
    }

    deinit {
        umount2(path, CInt(MNT_DETACH))
        detach()
    }
}
