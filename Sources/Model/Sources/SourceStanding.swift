/// How a source stands in the download that it is a source of.
public enum SourceStanding: Hashable, Sendable {
    case unused
    /// Bytes of the file came from it.
    case used
    /// It is asked for no more, as long as others are left.
    case left(Reason)

    public enum Reason: String, CaseIterable, Sendable {
        /// Its file is another, or nothing proves that it is the same.
        case differs
        /// It was asked time and again, and no byte came.
        case failed
        /// The others bring bytes many times faster.
        case slow
        /// It sends no ranges.
        case noRanges = "no_ranges"
    }

    public var reason: Reason? {
        if case .left(let reason) = self { reason } else { nil }
    }

    /// The word that the API has for it.
    public var word: String {
        switch self {
        case .unused: "unused"
        case .used: "used"
        case .left: "left"
        }
    }
}
