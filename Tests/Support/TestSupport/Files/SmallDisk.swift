import Glibc

/// A file system in memory, of a size of its own, that a test can fill.
public final class SmallDisk: Sendable {
    /// Where it is mounted.
    public let folder = TemporaryFolder()

    /// Whether this process may mount one, which takes `CAP_SYS_ADMIN`.
    public static let isAllowed = (try? SmallDisk(bytes: 1 << 20)) != nil

    /// Why a test of one was left out.
    public static let reason = "a file system can be mounted by root alone"

    /// The error of a mount that was refused.
    public struct NotMounted: Error {
        public let code: Int32
    }

    /// - Parameter inodes: How many files and folders it takes; nil for as many as the system wants.
    public init(bytes: Int64, inodes: Int? = nil) throws {
        let options = "size=\(bytes)" + (inodes.map { ",nr_inodes=\($0)" } ?? "")
        guard mount("tmpfs", folder.path, "tmpfs", 0, options) == 0 else { throw NotMounted(code: errno) }
    }

    deinit {
        umount2(folder.path, CInt(MNT_DETACH))
    }

    /// Takes so many bytes, or all that there are, with a file of that name.
    public func fill(_ name: String, bytes: Int64? = nil) {
        // A program that another test starts meanwhile would keep the file, and its room, as long as it runs.
        let file = open(folder(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        precondition(file >= 0, "no file \(name): \(errno)")
        defer { close(file) }
        let piece = [UInt8](repeating: 1, count: 4096)
        var left = bytes ?? .max
        while left > 0 {
            let count = write(file, piece, Int(min(left, 4096)))
            guard count > 0 else { return }
            left -= Int64(count)
        }
    }

    /// Takes every inode, in a folder of that name.
    public func fillInodes(_ name: String) {
        mkdir(folder(name), 0o700)
        var number = 0
        while true {
            let file = open(folder("\(name)/\(number)"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return }
            close(file)
            number += 1
        }
    }

    /// Gives back what ``fill(_:bytes:)`` took.
    public func remove(_ name: String) {
        unlink(folder(name))
    }

    /// Gives back what ``fillInodes(_:)`` took.
    public func removeFolder(_ name: String) {
        var number = 0
        while unlink(folder("\(name)/\(number)")) == 0 { number += 1 }
        rmdir(folder(name))
    }
}
