public import Core
import FoundationEssentials
import HTTPFields

/// One page of a list.
public struct PageBody<Item: Resource>: Sendable {
    public var items: [Item]
    /// The cursor of the next page; nil on the last page.
    public var nextCursor: String?
    /// The path and query of the next page; nil on the last page.
    public var nextPath: String?
    /// The number of items on all pages, if the client requested it.
    public var count: DownloadCount?

    public init(
        items: [Item],
        nextCursor: String? = nil,
        nextPath: String? = nil,
        count: DownloadCount? = nil
    ) {
        self.items = items
        self.nextCursor = nextCursor
        self.nextPath = nextPath
        self.count = count
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: Item.usualLength * items.count + 256)
        writer.object { writer in
            writer.name("items")
            writer.array(items) { $1.write(to: &$0) }
            writer.member("next_cursor", nextCursor)
            writer.member("links") { $0.member("next", nextPath) }
            guard let count else { return }
            writer.member("total", count.total)
            writer.member("total_is_lower_bound", count.isLowerBound)
        }
        return writer.bytes
    }
}
