import Core
import HTTPServer
import HTTPTypes
import Service

/// `/sessions` and `/sessions/{name}`.
struct Sessions: Sendable {
    let service: DownloadService
    let cursors: CursorSealer

    // MARK: - GET

    func get(_ name: SessionName, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let summary = try await service.session(name)
        let etag = SessionBody(summary).etag
        return context.unlessKnown(etag) { show(summary, .ok) }
    }

    func list(_ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let paging = try Paging(query, path: "/sessions", list: "sessions", cursors, key: SessionName.init)
        let sessions = try await service.sessions(after: paging.after, limit: paging.fetchLimit)
        return paging.response(sessions, key: \.session.name.text) { SessionBody($0) }
    }

    // MARK: - PUT /sessions/{name}

    func put(_ name: SessionName, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let body = try SessionSettingsBody(parsing: bytes)
        let expectation = try await expectation(of: name, context)
        let put = try await service.putSession(name, body.settings, expecting: expectation)
        switch put {
        case .made(let summary): return show(summary, .created, [.location: "/sessions/\(name)"])
        case .replaced(let summary): return show(summary, .ok)
        case .unexpected: throw Self.preconditionFailed
        }
    }

    /// The state of the session that the request's preconditions require (RFC 9110, section 13.2.2).
    private func expectation(
        of name: SessionName,
        _ context: RequestContext
    ) async throws -> SessionExpectation {
        let preconditions = Preconditions(context.fields)
        guard preconditions.hasIfMatch || preconditions.hasIfNoneMatch else { return .any }
        guard let current = try await find(name) else {
            if preconditions.hasIfMatch { throw Self.preconditionFailed }
            return .absent
        }
        let etag = SessionBody(current).etag
        guard preconditions.allowsChange(of: etag), !preconditions.isNotModified(etag) else {
            throw Self.preconditionFailed
        }
        return .revision(current.session.revision)
    }

    private func find(_ name: SessionName) async throws -> SessionSummary? {
        do {
            return try await service.session(name)
        } catch ServiceError.notFound {
            return nil
        }
    }

    private static let unmatched = "The session has changed: its ETag or revision is another one."
    private static let preconditionFailed = Problem(.preconditionFailed, unmatched)

    // MARK: - PATCH /sessions/{name}

    func patch(_ name: SessionName, _ context: RequestContext) async throws -> ServerResponse {
        try await context.patching { try await change(name, context) }
    }

    private func change(_ name: SessionName, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        var patch = try SessionPatch(parsing: bytes)
        patch.expectedRevision = try await revision(of: name, expected: patch.expectedRevision, context)
        let ready = patch
        let changed = try await service.changeSession(name, ready)
        guard let action = ready.action else { return show(changed, .ok) }
        let acted = try await service.act(action, onSession: name, keepsPartial: ready.keepsPartial)
        return show(try await service.session(name), .ok, acted: acted)
    }

    // MARK: - DELETE /sessions/{name}

    func delete(_ name: SessionName, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let revision = try await revision(of: name, expected: nil, context)
        try await service.deleteSession(name, expectedRevision: revision)
        return ServerResponse(status: .noContent)
    }

    private func revision(
        of name: SessionName,
        expected: Int64?,
        _ context: RequestContext
    ) async throws -> Int64? {
        try await context.revision(expected: expected, orSay: Self.unmatched) {
            let summary = try await service.session(name)
            return (SessionBody(summary).etag, summary.session.revision)
        }
    }

    // MARK: - Responses

    private func show(
        _ summary: SessionSummary,
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields = [:],
        acted: SessionActionResult? = nil
    ) -> ServerResponse {
        let body = SessionBody(summary, acted: acted)
        var fields = fields
        fields[.eTag] = body.etag
        fields[.acceptPatch] = RequestContext.acceptPatch
        return .json(status, body.encoded(), fields)
    }
}
