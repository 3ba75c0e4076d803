/// What the bytes of a block were when they became durable.
public struct BlockDigest: Hashable, Sendable {
    /// Counts the blocks of the file from 0.
    public let number: Int
    /// Their ``XXH64``.
    public let value: UInt64

    public init(number: Int, value: UInt64) {
        self.number = number
        self.value = value
    }
}
