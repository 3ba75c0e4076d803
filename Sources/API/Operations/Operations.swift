import Core
import HTTPServer
import HTTPTypes
import Service

/// `/downloads/actions` and `/operations/{id}`.
struct Operations: Sendable {
    let downloads: Downloads

    private var service: DownloadService { downloads.service }

    // MARK: - POST /downloads/actions

    func create(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await downloads.replaying(context) { request in
            let action = try BulkRequest(parsing: bytes)
            let replay = request.map { request in
                IdempotentOperation(request: request) { operation in
                    StoredResponse(
                        status: 202,
                        location: Self.path(operation),
                        etag: nil,
                        body: OperationBody(operation).encoded()
                    )
                }
            }
            let result = try await service.act(action, replay: replay)
            switch result {
            case .done(let operation):
                return .json(.accepted, OperationBody(operation).encoded(), [.location: Self.path(operation)])
            case .replayed(let response): return .replay(response)
            case .keyReused: throw Problem(because: ServiceError.idempotencyKeyReused)
            }
        }
    }

    private static func path(_ operation: BulkOperation) -> String { "/operations/\(operation.id)" }

    // MARK: - GET /operations/{id}

    func get(_ id: OperationID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let operation = try await service.operation(id)
        return .json(.ok, OperationBody(operation, waitingReason: service.waitingReason(of: operation)).encoded())
    }
}
