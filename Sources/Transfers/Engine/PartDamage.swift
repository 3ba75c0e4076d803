/// What was found damaged in a part file.
public struct PartDamage: Hashable, Sendable {
    /// The blocks whose bytes are not what they were.
    public let blocks: Int
    /// The bytes that are fetched again: those of the blocks, and those that no digest vouches for.
    public let bytes: Int64
}
