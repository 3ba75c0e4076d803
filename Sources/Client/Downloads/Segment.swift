/// A range of the file of a download. The segments cover the file without gaps or overlaps.
public struct Segment: Hashable, Sendable, Codable {
    public var firstByte: Int64
    /// Inclusive; nil if the size of the file is unknown.
    public var lastByte: Int64?
    public var receivedBytes: Int64
    /// `received`, `running` or `waiting`; later versions may add others.
    public var state: String
    /// The rate of a running segment.
    public var bytesPerSecond: Int64?
    /// The host and port that a running segment comes from.
    public var authority: String?

    public init(
        firstByte: Int64,
        lastByte: Int64?,
        receivedBytes: Int64,
        state: String,
        bytesPerSecond: Int64? = nil,
        authority: String? = nil
    ) {
        self.firstByte = firstByte
        self.lastByte = lastByte
        self.receivedBytes = receivedBytes
        self.state = state
        self.bytesPerSecond = bytesPerSecond
        self.authority = authority
    }
}
