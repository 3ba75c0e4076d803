import Glibc

/// The attributes of a file (`stat(2)`).
public struct FileInformation: Hashable, Sendable {
    public let identity: FileIdentity
    public let kind: FileKind

    /// The length in bytes. After an allocation or a sparse write it does not show which bytes were written.
    public let size: Int64

    /// The bytes that the file uses on the device.
    public let allocatedBytes: Int64

    /// The last change of the contents, in nanoseconds since 1970-01-01 UTC.
    public let modifiedNanoseconds: Int64

    /// The permission bits, such as `0o600`.
    public let permissions: UInt32

    /// The number of the file's group.
    public let group: UInt32

    /// Whether the group or everyone may read the file.
    public var isReadableByOthers: Bool {
        permissions & 0o044 != 0
    }

    /// Whether it is the same file, unchanged since `other` was read.
    public func isSameVersion(as other: Self) -> Bool {
        identity == other.identity && size == other.size && modifiedNanoseconds == other.modifiedNanoseconds
    }

    init(_ status: stat) {
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        kind = FileKind(mode: status.st_mode)
        size = Int64(status.st_size)
        // stat(2): st_blocks counts units of 512 bytes, whatever the file system's own block size is.
        allocatedBytes = Int64(status.st_blocks) * 512
        modifiedNanoseconds = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        permissions = UInt32(status.st_mode & 0o7777)
        group = status.st_gid
    }
}

/// The identity of a file or folder, independent of its name. Equal values mean the same file while it exists.
///
/// `st_dev` and `st_ino` of `inode(7)`. After a file is removed, the kernel may reuse its inode number.
public struct FileIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// The type of a directory entry.
public enum FileKind: Hashable, Sendable {
    case regular
    case directory
    case symbolicLink
    /// A device, a pipe or a socket.
    case other

    init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symbolicLink
        default: self = .other
        }
    }
}
