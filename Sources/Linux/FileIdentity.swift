/// What a file or folder is, whatever its name: the same pair means the same one, as long as it exists.
///
/// `st_dev` and `st_ino` of `inode(7)`. The kernel may give the number of a removed file to a new one.
public struct FileIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
