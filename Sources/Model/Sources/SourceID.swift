/// One of the addresses that a file can be fetched from, by its place in the order they were named.
public struct SourceID: Hashable, Comparable, Sendable {
    public let index: Int

    public init(_ index: Int) {
        self.index = index
    }

    /// The first: the one that the client names as the file's URL.
    public static let primary = SourceID(0)

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.index < rhs.index }
}
