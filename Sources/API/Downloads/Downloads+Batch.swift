import Core
import HTTPServer
import HTTPTypes
import Service

/// `/downloads/batch`.
extension Downloads {
    func createBatch(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        // Parsing a thousand items takes long. Leave libmicrohttpd's thread, which serves other connections.
        await Task.yield()
        return try await replaying(context) { request in try await createBatch(bytes, request) }
    }

    private func createBatch(_ bytes: [UInt8], _ request: IdempotentRequest?) async throws -> ServerResponse {
        let body = try CreateBatchBody(parsing: bytes)
        let batch = ValidatedBatch(body, service)
        if batch.isAtomic, let problem = batch.problem { throw problem }
        return try await record(batch, request).response { outcome in
            switch outcome {
            case .made(let creations):
                let now = time.now
                let bytes = batch.results(creations) {
                    DownloadBody(view(of: $0, isRepeatable: request != nil), now)
                }
                return .json(HTTPResponse.Status(code: batch.status), bytes)
            case .refused(let refusal, let index): throw batch.problem(refusal, at: index)
            }
        } replay: {
            .replay($0)
        }
    }

    private func record(
        _ batch: ValidatedBatch,
        _ request: IdempotentRequest?
    ) async throws -> IdempotentResult<CreationOutcome> {
        // If every item is refused, no work was done, so no response is stored for a repeated request.
        guard !batch.prepared.isEmpty else { return .done(.made([])) }
        let time = time
        let replay = request.map { request in
            IdempotentOperation(request: request) { (creations: [Creation]) in
                let now = time.now
                let body = batch.results(creations) { DownloadBody(DownloadView(download: $0), now) }
                return StoredResponse(status: batch.status, location: nil, etag: nil, body: body)
            }
        }
        return try await service.create(
            batch.prepared,
            atomically: batch.isAtomic,
            seals: batch.seals,
            replay: replay
        )
    }
}

/// A batch with the validation result of each item.
struct ValidatedBatch: Sendable {
    let isAtomic: Bool
    let seals: Bool
    /// The valid downloads, in the order of their items.
    private(set) var prepared: [NewDownload] = []
    /// The item index of each element of ``prepared``.
    private var preparedItems: [Int] = []
    /// The problem of each item; nil for a valid item.
    private var problems: [ProblemBody?] = []

    init(_ body: CreateBatchBody, _ service: DownloadService) {
        isAtomic = body.isAtomic
        seals = body.seals
        for (index, item) in body.items.enumerated() {
            switch item {
            case .fault(let fault): problems.append(ProblemBody(fault))
            case .download(let requested): validate(requested, index, service)
            }
        }
    }

    private mutating func validate(_ requested: RequestedDownload, _ index: Int, _ service: DownloadService) {
        do throws(ServiceError) {
            prepared.append(try service.prepare(requested, number: index))
            preparedItems.append(index)
            problems.append(nil)
        } catch {
            problems.append(Problem(because: error).body.moved(to: CreateBatchBody.pointer(toItem: index)))
        }
    }

    /// The problem that prevents the batch as a whole; nil if every item is valid.
    var problem: Problem? {
        let problems = problems.compactMap(\.self)
        return problems.isEmpty ? nil : Problem(ProblemBody(ofBatch: problems))
    }

    /// The problem if the service refuses an atomic batch.
    ///
    /// - Parameter index: The index of the refused element of ``prepared``.
    func problem(_ refusal: CreationRefusal, at index: Int) -> Problem {
        var problem = Problem(because: ServiceError(refusal))
        problem.body = problem.body.moved(to: CreateBatchBody.pointer(toItem: preparedItems[index]))
        return problem
    }

    var status: Int { isAtomic ? 201 : 207 }

    /// The JSON of the response.
    ///
    /// - Parameters:
    ///   - creations: The result for each element of ``prepared``.
    ///   - body: Makes the JSON body of a download.
    func results(_ creations: [Creation], _ body: (Download) -> DownloadBody) -> [UInt8] {
        if isAtomic { return BatchBody(items: creations.compactMap(\.download).map(body)).encoded() }
        var items = problems.map { $0.map(BatchResultsBody.Item.refused) }
        for (index, creation) in zip(preparedItems, creations) {
            items[index] =
                switch creation {
                case .created(let download): .created(body(download))
                case .existing(let download): .existing(body(download))
                case .refused(let refusal):
                    .refused(
                        Problem(because: ServiceError(refusal)).body.moved(to: CreateBatchBody.pointer(toItem: index))
                    )
                }
        }
        return BatchResultsBody(items: items.compactMap(\.self)).encoded()
    }
}
