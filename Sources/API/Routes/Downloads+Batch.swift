import Events
import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

/// `/downloads/batch`.
extension Downloads {
    func createBatch(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        // A thousand items take a while to read: not on a thread of libmicrohttpd, which has other connections.
        await Task.yield()
        return try await replaying(context) { request throws(Problem) in try await createBatch(bytes, request) }
    }

    private func createBatch(_ bytes: [UInt8], _ request: IdempotentRequest?) async throws(Problem) -> ServerResponse {
        let body = try parsing { () throws(BodyFault) in try CreateBatchBody(parsing: bytes) }
        let batch = JudgedBatch(body, service)
        if batch.isAtomic, let problem = batch.problem { throw problem }
        switch try await record(batch, request) {
        case .made(let creations):
            let now = time.now
            let bytes = batch.answer(creations) {
                DownloadBody(view(of: $0, isRepeatable: request != nil), now)
            }
            return .json(HTTPResponse.Status(code: batch.status), bytes)
        case .refused(let refusal, let index): throw batch.problem(refusal, at: index)
        case .replayed(let answer): return .replay(answer)
        }
    }

    private func record(
        _ batch: JudgedBatch,
        _ request: IdempotentRequest?
    ) async throws(Problem) -> DownloadService.Made {
        // A refusal of all of them is no work, and so nothing to be kept for a repetition.
        guard !batch.prepared.isEmpty else { return .made([]) }
        let time = time
        let replay = request.map { request in
            Replay(request: request) { (creations: [Creation]) in
                let now = time.now
                let body = batch.answer(creations) { DownloadBody(DownloadView(download: $0), now) }
                return StoredAnswer(status: batch.status, location: nil, etag: nil, body: body)
            }
        }
        return try await asked { () async throws(JobError) in
            try await service.create(
                batch.prepared,
                atomically: batch.isAtomic,
                seals: batch.seals,
                replay: replay
            )
        }
    }
}
