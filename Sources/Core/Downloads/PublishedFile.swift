public import HTTPFields

/// The finished file of a download. It is recorded before it is moved to its place, so that a crash after the record
/// can be told from one before.
public struct PublishedFile: Hashable, Sendable {
    /// Below the downloads folder.
    public var path: String
    public var sizeBytes: Int64
    public var digests: [Digest]
    /// Device and inode of the part file; the rename keeps them.
    public var identity: FileIdentity
    /// The last change of its contents, in nanoseconds since 1970-01-01 UTC, from the file system; nil if not recorded.
    public var modifiedNanoseconds: Int64?
    /// Whether a later check did not find it, or found it changed.
    public var isMissing = false

    /// The folders below the downloads folder, and last the file's name.
    ///
    /// Split by bytes, as the kernel does: a combining mark at the start of a name would hide the slash before it in a
    /// `Character`.
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

/// The identity of a file on this machine, whatever its name is.
public struct FileIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
