/// One page of a list.
public struct PageBody<Item: Resource>: Sendable {
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

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: Item.usualLength * items.count + 256)
        writer.object { writer in
            writer.name("items")
            writer.array(items) { $1.write(to: &$0) }
            writer.member("next_cursor", nextCursor)
            writer.member("links") { $0.member("next", nextPath) }
        }
        return writer.bytes
    }
}
