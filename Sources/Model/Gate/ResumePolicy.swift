/// What an engine and its operator allow when a download is to go on.
///
/// The engine of this service compares no bytes yet, so it allows none of this: its policy is the default. The rules
/// are part of the gate, and tested with it, since an engine that compares is to change nothing else.
public struct ResumePolicy: Hashable, Sendable {
    /// The engine can compare bytes that it has with the same ones from a response. Without it, a download that has
    /// no strong validator begins again.
    public var overlapAllowed: Bool
    /// With overlap: go on even where neither a strong validator nor a digest guards a large download.
    public var allowsUnvalidated: Bool

    public init(overlapAllowed: Bool = false, allowsUnvalidated: Bool = false) {
        self.overlapAllowed = overlapAllowed
        self.allowsUnvalidated = allowsUnvalidated
    }

    /// Bytes to compare before others are added.
    public static let overlapBytes: Int64 = 64 << 10
    /// The most bytes that are compared to make use of a range that begins early.
    public static let maximumOverlapBytes: Int64 = 1 << 20
    /// A download with fewer bytes begins again rather than go on without validation.
    public static let unvalidatedMinimumBytes: Int64 = 1 << 30
}
