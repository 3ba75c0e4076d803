/// The disk space of a root.
public struct RootSpace: Hashable, Sendable {
    public let root: RootName
    /// Whether its folder can be used now.
    public let isAvailable: Bool
    /// nil if they cannot be read.
    public let freeBytes: Int64?
    /// The bytes that running downloads have reserved and not written yet.
    public let reservedBytes: Int64
    /// The words for what its file system cannot do; nil if that is not known.
    public let unsupported: [String]?

    public init(
        root: RootName,
        isAvailable: Bool,
        freeBytes: Int64?,
        reservedBytes: Int64,
        unsupported: [String]? = nil
    ) {
        self.unsupported = unsupported
        self.root = root
        self.isAvailable = isAvailable
        self.freeBytes = freeBytes
        self.reservedBytes = reservedBytes
    }
}
