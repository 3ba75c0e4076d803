import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

extension Downloads {
    private static let pageSize = 50
    private static let largestPage = 200

    // MARK: - GET /downloads

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(
            context.request.query,
            allowed: ["limit", "cursor", "state", "session"],
            problem: .invalidFilter
        )
        let limit = try query.limit(default: Self.pageSize, most: Self.largestPage)
        let filter = try filter(query)
        let list = Self.name(of: filter)
        let before = try query["cursor"].map { text throws(Problem) in
            guard let cursor = Cursor(text, list: list, cursors), let id = DownloadID(cursor.lastKey) else {
                throw Problem(.invalidCursor, "The cursor is not one of this list with these filters.")
            }
            return id
        }
        // One more than is shown tells whether there is another page.
        var views = try await asked { () async throws(JobError) in
            try await service.downloads(filter, before: before, limit: limit + 1)
        }
        let hasMore = views.count > limit
        if hasMore { views.removeLast() }
        let next = hasMore ? views.last.map { Cursor(lastKey: $0.download.id.text, list: list).text(cursors) } : nil
        let path = next.map { Self.path(cursor: $0, limit: limit, query) }
        let now = time.now
        let body = PageBody(items: views.map { DownloadBody($0, now) }, nextCursor: next, nextPath: path)
        return .json(.ok, body.encoded(), path.map { [.link: "<\($0)>; rel=\"next\""] } ?? [:])
    }

    private func filter(_ query: Query) throws(Problem) -> DownloadFilter {
        var filter = DownloadFilter()
        if let text = query["state"] {
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let state = DownloadState(rawValue: String(word)) else {
                    throw query.refusal("state", "It is a list of states, separated by commas.")
                }
                guard !filter.states.contains(state) else { throw query.refusal("state", "A state is there twice.") }
                filter.states.append(state)
            }
        }
        if let text = query["session"] {
            guard let name = SessionName(text) else { throw query.refusal("session", "It is not a session's name.") }
            filter.session = name
        }
        return filter
    }

    /// The list with its filters, spelled in one way: what a cursor is bound to.
    private static func name(of filter: DownloadFilter) -> String {
        let states = filter.states.map(\.rawValue).sorted().joined(separator: ",")
        return "downloads state=\(states) session=\(filter.session?.text ?? "")"
    }

    private static func path(cursor: String, limit: Int, _ query: Query) -> String {
        var path = "/downloads?limit=\(limit)"
        if let state = query["state"] { path += "&state=\(state)" }
        if let session = query["session"] { path += "&session=\(session)" }
        return "\(path)&cursor=\(cursor)"
    }
}
