/// A page of a list.
public struct PageBody<Item: Sendable>: Sendable {
    public var items: [Item]
    /// Where the next page begins; nil on the last page.
    public var nextCursor: String?
    /// Path and query of the next page; nil on the last one.
    public var nextPath: String?

    public init(items: [Item], nextCursor: String? = nil, nextPath: String? = nil) {
        self.items = items
        self.nextCursor = nextCursor
        self.nextPath = nextPath
    }

    private func encoded(reserving capacity: Int, _ write: (Item, inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: capacity * items.count + 256)
        writer.object { writer in
            writer.name("items")
            writer.array(items) { write($1, &$0) }
            writer.member("next_cursor", nextCursor)
            writer.member("links") { $0.member("next", nextPath) }
        }
        return writer.bytes
    }
}

extension PageBody where Item == DownloadBody {
    /// The JSON of the body.
    public func encoded() -> [UInt8] { encoded(reserving: 2048) { $0.write(to: &$1) } }
}

extension PageBody where Item == HostBody {
    /// The JSON of the body.
    public func encoded() -> [UInt8] { encoded(reserving: 384) { $0.write(to: &$1) } }
}

extension PageBody where Item == SessionBody {
    /// The JSON of the body.
    public func encoded() -> [UInt8] { encoded(reserving: 512) { $0.write(to: &$1) } }
}
