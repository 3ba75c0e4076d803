import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

/// `/hosts` and `/hosts/{authority}`.
struct Hosts: Sendable {
    let service: DownloadService
    let cursors: CursorSealer

    private static let pageSize = 50
    private static let largestPage = 200
    /// What a cursor of this list is bound to.
    private static let list = "hosts"

    func get(_ authority: String, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let host = try await asked { () async throws(JobError) in try await service.host(authority) }
        return .json(.ok, HostBody(host).encoded())
    }

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let limit = try query.limit(default: Self.pageSize, most: Self.largestPage)
        let after = try query["cursor"].map { text throws(Problem) in
            guard let cursor = Cursor(text, list: Self.list, cursors) else {
                throw Problem(.invalidCursor, "The cursor is not one of this list.")
            }
            return cursor.lastKey
        }
        var hosts = try await asked { () async throws(JobError) in
            try await service.hosts(after: after, limit: limit + 1)
        }
        let hasMore = hosts.count > limit
        if hasMore { hosts.removeLast() }
        let next = hasMore ? hosts.last.map { Cursor(lastKey: $0.authority, list: Self.list).text(cursors) } : nil
        let path = next.map { "/hosts?limit=\(limit)&cursor=\($0)" }
        let body = PageBody(items: hosts.map(HostBody.init), nextCursor: next, nextPath: path)
        return .json(.ok, body.encoded(), path.map { [.link: "<\($0)>; rel=\"next\""] } ?? [:])
    }
}
