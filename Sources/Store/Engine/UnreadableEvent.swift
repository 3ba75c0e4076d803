/// An event of the log that this version cannot read: it holds a word of another version, or is damaged.
public struct UnreadableEvent: Error, Hashable, Sendable {
    public let sequence: Int64
    /// For a log: it may repeat a value of the row.
    public let reason: String

    public init(sequence: Int64, reason: String) {
        self.sequence = sequence
        self.reason = reason
    }
}
