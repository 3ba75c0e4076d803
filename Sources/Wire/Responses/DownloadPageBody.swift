/// A page of `GET /downloads`.
public struct DownloadPageBody: Sendable {
    public var items: [DownloadBody]
    /// Nil on the last page.
    public var nextCursor: String?
    /// Path and query of the next page; nil on the last one.
    public var nextPath: String?

    public init(items: [DownloadBody], nextCursor: String? = nil, nextPath: String? = nil) {
        self.items = items
        self.nextCursor = nextCursor
        self.nextPath = nextPath
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        PageBody.encode(items, nextCursor: nextCursor, nextPath: nextPath, reserving: 2048) { $0.write(to: &$1) }
    }
}
