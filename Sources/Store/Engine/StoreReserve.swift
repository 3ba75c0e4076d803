/// Room on the disk that is kept for the records of what leads out of a full one: the end of work, pauses,
/// cancellations and deletions, and what a start has to record. Nothing else is written while it is given up.
public struct StoreReserve: Sendable {
    /// Gives the room up; false where there is none to give.
    let release: @Sendable () -> Bool
    /// Takes the room again, if it is there; true where nothing is given up.
    let restore: @Sendable () -> Bool

    public init(release: @escaping @Sendable () -> Bool, restore: @escaping @Sendable () -> Bool) {
        self.release = release
        self.restore = restore
    }

    public static let none = Self(release: { false }, restore: { true })
}
