public import HTTPFields

/// The file that a download came to, or is about to: recorded before it is moved to its place, so that
/// a crash between the two can be told from one before.
public struct PublishedFile: Hashable, Sendable {
    /// Below the downloads folder.
    public var path: String
    public var sizeBytes: Int64
    public var digests: [Digest]
    /// Device and inode of the part file, which the move keeps.
    public var identity: FileIdentity
    /// When its contents changed last, in nanoseconds since 1970-01-01 UTC, as the file system has it; nil where nobody
    /// looked.
    public var modifiedNanoseconds: Int64?
    /// Whether it was looked for since and not found, or not as it was.
    public var isMissing = false

    /// The folders below the downloads folder, and last the file's name.
    ///
    /// Split by bytes, as the kernel does: a combining mark at the front of a name would hide the slash before it
    /// in a `Character`.
    public var pathComponents: [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// The same, noted as not there.
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

/// What tells a file from every other one on the machine, whatever it is called.
public struct FileIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
