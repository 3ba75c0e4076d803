/// The state of a source within its download.
public enum SourceState: Hashable, Sendable {
    case unused
    /// Bytes of the file were received from it.
    case used
    /// It is not used as long as another source can be used.
    case left(Reason)

    public enum Reason: String, CaseIterable, Sendable {
        /// Its file is different, or cannot be proved to be the same.
        case differs
        /// Repeated requests returned no byte.
        case failed
        /// The other sources are many times faster.
        case slow
        /// It does not support ranges.
        case noRanges = "no_ranges"
    }

    public var reason: Reason? {
        if case .left(let reason) = self { reason } else { nil }
    }

    /// The state's name in the API.
    public var word: String {
        switch self {
        case .unused: "unused"
        case .used: "used"
        case .left: "left"
        }
    }
}
