/// The room and the kind of the file system that a folder is on, `statfs(2)`.
public struct FileSystemInformation: Hashable, Sendable {
    /// What this user may still fill, in bytes; the reserve of the superuser is not in it.
    public let freeBytes: Int64
    public let totalBytes: Int64

    /// How many files may still be made; nil where the file system does not count them.
    public let freeInodes: Int64?

    /// The magic number of its kind, as `statfs(2)` lists them.
    public let magic: UInt32

    /// Its name, such as `ext4`, or the magic number in hexadecimal.
    public var typeName: String {
        Self.names[magic] ?? "0x" + String(magic, radix: 16)
    }

    /// Whether the bytes are on another machine, where locks and `fsync(2)` may promise less.
    public var isNetwork: Bool {
        ["nfs", "smb", "cifs", "9p", "ceph"].contains(typeName)
    }

    /// The names of `statfs(2)`; one number serves ext2, ext3 and ext4.
    private static let names: [UInt32: String] = [
        0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x2FC1_2FC1: "zfs", 0xF2F5_2010: "f2fs",
        0x0102_1994: "tmpfs", 0x794C_7630: "overlay", 0x6573_5546: "fuse", 0x6969: "nfs", 0xFE53_4D42: "smb",
        0xFF53_4D42: "cifs", 0x0102_1997: "9p", 0x00C3_6400: "ceph", 0x4D44: "vfat", 0x2011_BAB0: "exfat",
        0xCA45_1A4E: "bcachefs",
    ]
}
