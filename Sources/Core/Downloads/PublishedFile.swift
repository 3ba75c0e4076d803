public import HTTPFields

/// The finished file of a download. It is recorded before the rename to its final path, so that recovery can tell a
/// crash after the record from one before it.
public struct PublishedFile: Hashable, Sendable {
    /// The path relative to the downloads folder.
    public var path: String
    public var sizeBytes: Int64
    public var digests: [Digest]
    /// Device and inode of the part file, which the rename does not change.
    public var identity: FileIdentity
    /// The modification time from the file system, in nanoseconds since 1970-01-01 UTC; nil if not recorded.
    public var modifiedNanoseconds: Int64?
    /// Whether a later check found the file missing or changed.
    public var isMissing = false

    /// The components of ``path``: folders, then the file's name.
    ///
    /// The path is split by bytes, as the kernel does. In a `Character`, a combining mark at the start of a name would
    /// hide the slash before it.
    public var pathComponents: [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// The same file, marked as missing.
    public var missing: Self {
        var file = self
        file.isMissing = true
        return file
    }

    public init(
        path: String,
        sizeBytes: Int64,
        digests: [Digest],
        identity: FileIdentity,
        modifiedNanoseconds: Int64? = nil
    ) {
        self.modifiedNanoseconds = modifiedNanoseconds
        self.path = path
        self.sizeBytes = sizeBytes
        self.digests = digests
        self.identity = identity
    }
}

/// The identity of a file on this machine, independent of its name.
public struct FileIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
