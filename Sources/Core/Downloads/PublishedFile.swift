public import HTTPFields

/// The finished file of a download. It is recorded before the rename to its final path, so that recovery can tell a
/// crash after the record from one before it.
public struct PublishedFile: Hashable, Sendable {
    /// The path relative to the root.
    public var path: String
    public var root: RootName
    public var digests: [Digest]
    /// By what the root recognises the file. If it does not tell, ``digests`` decide.
    public var identity: FileIdentity
    /// The path that a client has asked to move it to, until the move is recorded; nil if no move is underway.
    public var movingTo: String?
    /// When it got ``path``, if it was moved after the download completed.
    public var placedAt: Timestamp?
    /// Whether a later check found the file missing or changed.
    public var isMissing = false
    /// Whether the file was there before and counts as the download's. It belongs to another download, or to nobody.
    public var isSkipped = false
    /// When its time was over; nil before. From then on it is removed, and ``isMissing`` once it is.
    public var expiredAt: Timestamp?

    /// Whether it is still to be removed.
    public var isExpiring: Bool { expiredAt != nil && !isMissing }

    public var sizeBytes: Int64 {
        get { identity.sizeBytes }
        set { identity.sizeBytes = newValue }
    }

    /// The modification time from the file system, in nanoseconds since 1970-01-01 UTC; nil if not recorded.
    public var modifiedNanoseconds: Int64? {
        get { identity.modifiedNanoseconds }
        set { identity.modifiedNanoseconds = newValue }
    }

    /// The components of ``path``: folders, then the file's name.
    public var pathComponents: [String] { Self.components(of: path) }

    /// The components of a path.
    ///
    /// The path is split by bytes, as the kernel does. In a `Character`, a combining mark at the start of a name would
    /// hide the slash before it.
    public static func components(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// The path of the folder that contains it; nil for the downloads folder.
    public var folderPath: String? {
        let folders = pathComponents.dropLast()
        return folders.isEmpty ? nil : folders.joined(separator: "/")
    }

    /// The same file at another path, with no move underway.
    public func moved(to path: String) -> Self {
        var file = self
        (file.path, file.movingTo, file.isMissing) = (path, nil, false)
        return file
    }

    /// The same file, marked as missing.
    public var missing: Self {
        var file = self
        file.isMissing = true
        return file
    }

    public init(path: String, root: RootName = .downloads, digests: [Digest], identity: FileIdentity) {
        self.path = path
        self.root = root
        self.digests = digests
        self.identity = identity
    }
}
