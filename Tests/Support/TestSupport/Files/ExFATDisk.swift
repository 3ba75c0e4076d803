import Glibc

/// A file system of exFAT, by FUSE: it has no hard links, no `RENAME_NOREPLACE`, no permissions and no owners.
public final class ExFATDisk: Sendable {
    /// Where it is mounted.
    public let folder = TemporaryFolder()
    private let image = TemporaryFolder()

    /// Whether this process may mount one, and has the programs for it.
    public static let isAllowed = (try? ExFATDisk()) != nil

    /// Why a test of one was left out.
    public static let reason = "exFAT can be mounted by root alone, with the packages exfat-fuse and exfatprogs"

    /// The status of the command that failed.
    public struct NotMounted: Error {
        public let status: Int32
    }

    public init() throws {
        let file = image("disk")
        let commands = """
            {
                truncate -s 64M \(file) && mkfs.exfat \(file) && mount.exfat-fuse \(file) \(folder.path)
            } >\(image("log")) 2>&1
            """
        let status = system(commands)
        guard status == 0 else { throw NotMounted(status: status) }
    }

    deinit {
        umount2(folder.path, CInt(MNT_DETACH))
    }
}
