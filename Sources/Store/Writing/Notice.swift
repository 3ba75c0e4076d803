/// The kinds of rows that a commit changed. A notice is only a hint to query the store.
public struct Notice: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A download may be ready to be claimed.
    public static let downloads = Self(rawValue: 1)
    /// A delivery may be due.
    public static let deliveries = Self(rawValue: 2)
    /// An event was added to the log.
    public static let events = Self(rawValue: 4)
    /// A delivery was attempted. The dispatcher itself claims the deliveries that become due.
    public static let attempts = Self(rawValue: 16)
    /// There is an operation with a next step.
    public static let operations = Self(rawValue: 32)
    /// There is something to remove from a root.
    public static let storage = Self(rawValue: 64)
    /// The disk failed during a commit, or the database is damaged. The process must stop.
    public static let failure = Self(rawValue: 8)
}
