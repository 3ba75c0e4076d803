import Core
import HTTPServer
import HTTPTypes
import Service

/// `/limits`.
struct Limits: Sendable {
    let service: DownloadService

    func get(_ context: RequestContext) throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let limits = service.limits
        let etag = LimitsBody(limits).etag
        return context.unlessKnown(etag) { show(limits) }
    }

    func patch(_ context: RequestContext) async throws -> ServerResponse {
        try await context.patching { try await change(context) }
    }

    private func change(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let patch = try PatchLimitsBody(parsing: bytes)
        let revision = try await revision(expected: patch.expectedRevision, context)
        let limits = try await service.changeLimits(.merge(patch.limits), expectedRevision: revision)
        return show(limits)
    }

    /// An absent member resets its limit to the setting.
    func put(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let body = try LimitsSettingsBody(parsing: bytes)
        let revision = try await revision(expected: nil, context)
        let limits = try await service.changeLimits(.replace(body.replacements), expectedRevision: revision)
        return show(limits)
    }

    private func revision(expected: Int64?, _ context: RequestContext) async throws -> Int64? {
        let unmatched = "The limits have changed: their ETag or revision is another one."
        return try await context.revision(expected: expected, orSay: unmatched) {
            let limits = service.limits
            return (LimitsBody(limits).etag, limits.stored.revision)
        }
    }

    private func show(_ limits: LimitsView) -> ServerResponse {
        let body = LimitsBody(limits)
        return .json(.ok, body.encoded(), [.eTag: body.etag, .acceptPatch: RequestContext.acceptPatch])
    }
}
