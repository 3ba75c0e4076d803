/// What the pages of all lists share.
enum PageBody {
    /// - Parameters:
    ///   - nextCursor: Where the next page begins; nil at the end of the list.
    ///   - nextPath: Path and query of the next page.
    static func encode<Items: Collection>(
        _ items: Items,
        nextCursor: String?,
        nextPath: String?,
        reserving capacity: Int,
        _ write: (Items.Element, inout JSONWriter) -> Void
    ) -> [UInt8] {
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
