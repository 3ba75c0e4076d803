import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

/// `/hosts` and `/hosts/{authority}`.
struct Hosts: Sendable {
    let service: DownloadService
    let cursors: CursorSealer

    func get(_ authority: String, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let host = try await asked { () async throws(JobError) in try await service.host(authority) }
        return .json(.ok, HostBody(host).encoded())
    }

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let paging = try Paging(query, path: "/hosts", list: "hosts", cursors) { $0 }
        let hosts = try await asked { () async throws(JobError) in
            try await service.hosts(after: paging.after, limit: paging.wanted)
        }
        return paging.answer(hosts, key: \.authority, item: HostBody.init)
    }
}
