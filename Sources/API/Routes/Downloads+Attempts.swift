import Jobs
import MicroHTTP
import Model
import Wire

extension Downloads {
    // MARK: - GET /downloads/{id}/attempts

    func attempts(_ id: DownloadID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let path = "/downloads/\(id)/attempts"
        let paging = try Paging(query, path: path, list: "attempts \(id)", cursors) { Int($0) }
        let requests = try await asked { () async throws(JobError) in
            try await service.requests(of: id, before: paging.after, limit: paging.wanted)
        }
        return paging.answer(requests, key: { String($0.number) }, item: AttemptBody.init)
    }
}
