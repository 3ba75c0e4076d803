import Core
import HTTPServer
import HTTPTypes

/// The page of a list that the query parameters `limit` and `cursor` select.
struct Paging<Key> {
    /// The path of the list, with the filters of the request.
    private let path: String
    /// The canonical text of the list and its filters. A cursor is bound to it.
    private let list: String
    private let cursors: CursorSealer
    let limit: Int
    /// The key of the last row of the previous page; nil for the first page.
    let after: Key?

    /// How many rows to read: one more than the page, to detect whether another page follows.
    var fetchLimit: Int { limit + 1 }

    private static var usual: Int { 50 }
    private static var most: Int { 200 }

    /// - Parameter key: Parses a row's key; nil if it is invalid.
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
                throw Problem(.invalidCursor, "The cursor belongs to another list or other filters.")
            }
            return key
        }
    }

    /// The response with a page of items.
    ///
    /// - Parameter next: The key of the last row before the next page; nil for the last page.
    func response<Item: Resource>(_ items: [Item], next key: String?, count: DownloadCount?) -> ServerResponse {
        let cursor = key.map { Cursor(lastKey: $0, list: list).text(cursors) }
        let next = cursor.map { "\(path)\(path.contains("?") ? "&" : "?")limit=\(limit)&cursor=\($0)" }
        let body = PageBody(items: items, nextCursor: cursor, nextPath: next, count: count)
        return .json(.ok, body.encoded(), next.map { [.link: "<\($0)>; rel=\"next\""] } ?? [:])
    }

    /// - Parameters:
    ///   - rows: The rows read, at most ``fetchLimit``.
    ///   - key: The key of a row. The next page starts after it.
    func response<Row, Item: Resource>(_ rows: [Row], key: (Row) -> String, item: (Row) -> Item) -> ServerResponse {
        let shown = rows.prefix(limit)
        let last = rows.count > limit ? shown.last : nil
        return response(shown.map(item), next: last.map(key), count: nil)
    }
}

/// Seals bytes so that only this service can create and read them.
///
/// An authenticated cipher fits. It is injected, so that this target needs no cryptography of its own.
public struct CursorSealer: Sendable {
    public let seal: @Sendable ([UInt8]) -> [UInt8]
    /// Returns nil for bytes that this service did not seal, or that were changed since.
    public let open: @Sendable ([UInt8]) -> [UInt8]?

    public init(
        seal: @escaping @Sendable ([UInt8]) -> [UInt8],
        open: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.seal = seal
        self.open = open
    }
}
