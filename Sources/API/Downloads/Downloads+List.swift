import Core
import HTTPServer
import Service

extension Downloads {
    // MARK: - GET /downloads

    func list(_ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(
            context.request.query,
            allowed: ["limit", "cursor", "sort", "count"] + DownloadFilter.parameters + DownloadDetail.parameters,
            repeatable: DownloadFilter.repeatable,
            problem: .invalidFilter
        )
        let (filter, order) = (try DownloadFilter(query), try DownloadOrder(query))
        let detail = try DownloadDetail(query)
        let isCounted = try query.flag("count") ?? false
        let paging = try Paging(
            query,
            path: Self.path(query),
            list: Self.name(of: filter, order),
            cursors,
            key: DownloadPosition.init
        )
        let page = try await service.page(filter, order, after: paging.after, limit: paging.limit)
        let count: DownloadCount? = isCounted ? try await self.count(filter) : nil
        let now = time.now
        let items = page.views.map { DetailedDownload(body: DownloadBody($0, now), detail: detail) }
        return paging.response(items, next: page.next?.text, count: count)
    }

    private func count(_ filter: DownloadFilter) async throws -> DownloadCount {
        try await service.count(filter)
    }

    /// The canonical text of a list with its filter and order. A cursor is bound to it. `fields` and `view` are not
    /// included: other fields of the same downloads are the same list.
    private static func name(of filter: DownloadFilter, _ order: DownloadOrder) -> String {
        "downloads \(order.word) \(filter.canonicalText)"
    }

    /// The path of a page, with the parameters that the next page has too.
    private static func path(_ query: Query) -> String {
        let names = ["sort", "count"] + DownloadFilter.parameters + DownloadDetail.parameters
        let parameters = names.flatMap { name in query.all(name).map { "\(name)=\(Query.encode($0))" } }
        return parameters.isEmpty ? "/downloads" : "/downloads?" + parameters.joined(separator: "&")
    }
}
