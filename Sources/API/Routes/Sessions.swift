import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

/// `/sessions` and `/sessions/{name}`.
struct Sessions: Sendable {
    let service: DownloadService
    let cursors: CursorSealer

    func get(_ name: SessionName, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let summary = try await asked { () async throws(JobError) in try await service.session(name) }
        return .json(.ok, SessionBody(summary).encoded())
    }

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let paging = try Paging(query, path: "/sessions", list: "sessions", cursors, key: SessionName.init)
        let sessions = try await asked { () async throws(JobError) in
            try await service.sessions(after: paging.after, limit: paging.wanted)
        }
        return paging.answer(sessions, key: \.session.name.text, item: SessionBody.init)
    }
}
