/// Disk space reserved for records that help to free a full disk: ends of downloads, pauses, cancellations, deletions
/// and the records of a start. While it is released, nothing else is written.
public struct StoreReserve: Sendable {
    /// Releases the space; false if there is none.
    let release: @Sendable () -> Bool
    /// Reserves the space again if possible; true if it is reserved.
    let restore: @Sendable () -> Bool

    public init(release: @escaping @Sendable () -> Bool, restore: @escaping @Sendable () -> Bool) {
        self.release = release
        self.restore = restore
    }

    public static let none = Self(release: { false }, restore: { true })
}
