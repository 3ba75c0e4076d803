/// The disk space of a root.
public struct RootSpace: Hashable, Sendable {
    public let root: RootName
    /// Whether its folder can be used now.
    public let isAvailable: Bool
    /// nil if they cannot be read.
    public let freeBytes: Int64?
    /// The bytes that running downloads have reserved and not written yet.
    public let reservedBytes: Int64

    public init(root: RootName, isAvailable: Bool, freeBytes: Int64?, reservedBytes: Int64) {
        self.root = root
        self.isAvailable = isAvailable
        self.freeBytes = freeBytes
        self.reservedBytes = reservedBytes
    }
}
