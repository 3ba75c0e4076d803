import HTTPTypes
import MicroHTTP
import Wire

/// The page of a list that a request asks for with `limit` and `cursor`.
struct Paging<Key> {
    /// Path of the list, with the filters of the request.
    private let path: String
    /// The list with its filters, spelled in one way: what a cursor is bound to.
    private let list: String
    private let cursors: CursorSealer
    private let limit: Int
    /// The key of the last row of the page before; nil for the first page.
    let after: Key?

    /// How many rows to look for: one more than is shown tells whether there is another page.
    var wanted: Int { limit + 1 }

    private static var usual: Int { 50 }
    private static var most: Int { 200 }

    /// - Parameter key: A row's key from its text; nil where it is none.
    init(
        _ query: Query,
        path: String,
        list: String,
        _ cursors: CursorSealer,
        key: (String) -> Key?
    ) throws(Problem) {
        self.path = path
        self.list = list
        self.cursors = cursors
        limit = try query.limit(default: Self.usual, most: Self.most)
        after = try query["cursor"].map { text throws(Problem) in
            guard let key = Cursor(text, list: list, cursors).flatMap({ key($0.lastKey) }) else {
                throw Problem(.invalidCursor, "The cursor is not one of this list with these filters.")
            }
            return key
        }
    }

    /// - Parameters:
    ///   - rows: What was found, as many as were ``wanted`` at most.
    ///   - key: What the next page begins after.
    func answer<Row, Item: Resource>(_ rows: [Row], key: (Row) -> String, item: (Row) -> Item) -> ServerResponse {
        let shown = rows.prefix(limit)
        let last = rows.count > limit ? shown.last : nil
        let cursor = last.map { Cursor(lastKey: key($0), list: list).text(cursors) }
        let next = cursor.map { "\(path)\(path.contains("?") ? "&" : "?")limit=\(limit)&cursor=\($0)" }
        let body = PageBody(items: shown.map(item), nextCursor: cursor, nextPath: next)
        return .json(.ok, body.encoded(), next.map { [.link: "<\($0)>; rel=\"next\""] } ?? [:])
    }
}
