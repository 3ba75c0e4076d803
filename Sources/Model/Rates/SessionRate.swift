/// The limit on the rate of a session, as one revision of it says.
public struct SessionRate: Hashable, Sendable {
    public let name: SessionName
    /// What its downloads take together; nil for no limit.
    public let bytesPerSecond: Int64?
    public let revision: Int64

    public init(name: SessionName, bytesPerSecond: Int64?, revision: Int64) {
        self.name = name
        self.bytesPerSecond = bytesPerSecond
        self.revision = revision
    }
}
