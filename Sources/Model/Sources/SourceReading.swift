/// How a source of a running download stands.
public struct SourceReading: Hashable, Sendable {
    public var url: String
    public var standing: SourceStanding
    public var receivedBytes: Int64

    public init(url: String, standing: SourceStanding, receivedBytes: Int64) {
        self.url = url
        self.standing = standing
        self.receivedBytes = receivedBytes
    }
}
