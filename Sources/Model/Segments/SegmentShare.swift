/// The bytes that one connection is to fetch: `start..<end`, never empty.
public struct SegmentShare: Hashable, Sendable {
    public let connection: ConnectionID
    public let start: Int64
    /// One past the last byte. A later ``Steal`` may bring it forward.
    public let end: Int64
}
