import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

/// `/sessions` and `/sessions/{name}`.
struct Sessions: Sendable {
    let service: DownloadService
    let cursors: CursorSealer

    private static let pageSize = 50
    private static let largestPage = 200
    /// What a cursor of this list is bound to.
    private static let list = "sessions"

    func get(_ name: SessionName, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let summary = try await asked { () async throws(JobError) in try await service.session(name) }
        return .json(.ok, SessionBody(summary).encoded())
    }

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let limit = try query.limit(default: Self.pageSize, most: Self.largestPage)
        let after = try query["cursor"].map { text throws(Problem) in
            guard let cursor = Cursor(text, list: Self.list, cursors), let name = SessionName(cursor.lastKey) else {
                throw Problem(.invalidCursor, "The cursor is not one of this list.")
            }
            return name
        }
        var sessions = try await asked { () async throws(JobError) in
            try await service.sessions(after: after, limit: limit + 1)
        }
        let hasMore = sessions.count > limit
        if hasMore { sessions.removeLast() }
        let next =
            hasMore ? sessions.last.map { Cursor(lastKey: $0.session.name.text, list: Self.list).text(cursors) } : nil
        let path = next.map { "/sessions?limit=\(limit)&cursor=\($0)" }
        let body = PageBody(items: sessions.map(SessionBody.init), nextCursor: next, nextPath: path)
        return .json(.ok, body.encoded(), path.map { [.link: "<\($0)>; rel=\"next\""] } ?? [:])
    }
}
