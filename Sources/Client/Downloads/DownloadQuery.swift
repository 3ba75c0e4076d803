/// A list to ask for.
public struct DownloadQuery: Hashable, Sendable {
    public var filter: DownloadFilter
    /// `created_at`, `finished_at`, `priority`, `size` or `name`; a minus for descending. The newest first by default.
    public var sort: String?
    /// The items of a page, 1 to 200.
    public var limit: Int?
    /// Whether the first page has a total.
    public var counts = false
    public var detail = DownloadDetail.full
    /// Where a page begins: the `nextCursor` of the page before it.
    public var cursor: String?

    public init(filter: DownloadFilter = DownloadFilter()) { self.filter = filter }

    var pairs: [APIRequest.Pair] {
        var request = APIRequest("GET", "/", query: filter.pairs + detail.pairs)
        request.addQuery("sort", sort)
        request.addQuery("limit", limit.map { "\($0)" })
        request.addQuery("count", counts ? "true" : nil)
        request.addQuery("cursor", cursor)
        return request.query
    }
}
