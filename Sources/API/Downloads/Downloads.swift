import Core
import HTTPServer
import HTTPTypes
import Service

/// `/downloads` and `/downloads/{id}`.
struct Downloads: Sendable {
    let service: DownloadService
    let hub: EventHub
    let cursors: CursorSealer
    let time: TimeSource
    private let shown = ShownDownloads()

    init(service: DownloadService, hub: EventHub, cursors: CursorSealer, time: TimeSource) {
        self.service = service
        self.hub = hub
        self.cursors = cursors
        self.time = time
    }

    static let patchFields: HTTPFields = [.acceptPatch: RequestContext.acceptPatch]

    // MARK: - POST /downloads

    func create(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let response = try await replaying(context) { request in try await create(bytes, request) }
        return await waiting(response, context)
    }

    private func create(_ bytes: [UInt8], _ request: IdempotentRequest?) async throws -> ServerResponse {
        let requested = try RequestedDownload(parsing: bytes)
        let time = time
        let replay = request.map { request in
            IdempotentOperation(request: request) { (creations: [Creation]) in
                Self.response(creations[0], time)
            }
        }
        // A batch of one item has exactly one outcome.
        let made = try await service.create([try service.prepare(requested)], atomically: false, replay: replay)
        return try made.response { outcome in
            switch outcome {
            case .made(let creations): try show(creations[0], isRepeatable: request != nil)
            case .refused(let refusal, _): throw ServiceError(refusal)
            }
        } replay: {
            .replay($0)
        }
    }

    private func show(_ creation: Creation, isRepeatable: Bool) throws(Problem) -> ServerResponse {
        switch creation {
        case .created(let download):
            return show(DownloadView(download: download), .created, [.location: Self.path(download.id)])
        case .existing(let download):
            return show(view(of: download, isRepeatable: isRepeatable), .ok, [.location: Self.path(download.id)])
        case .refused(let refusal):
            throw Problem(because: ServiceError(refusal))
        }
    }

    /// The response for a download that a request created or found. The response that is stored for a repeated request
    /// contains only the record. So does the first response, so that both are equal.
    func view(of download: Download, isRepeatable: Bool) -> DownloadView {
        isRepeatable ? DownloadView(download: download) : service.view(of: download)
    }

    // MARK: - GET /downloads/{id}

    func get(_ id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["until", "after_revision"] + DownloadDetail.parameters)
        let detail = try DownloadDetail(query)
        if let condition = try WaitCondition(query), let seconds = context.preferredWait {
            return try await wait(for: condition, of: id, seconds: seconds, detail)
        }
        let view = try await service.download(id)
        let body = DownloadBody(view, time.now)
        guard case .full = detail else {
            let etag = body.etag
            return context.unlessKnown(etag) { Self.show(body, etag: etag, .ok, Self.patchFields, detail) }
        }
        let (etag, response) = shown.response(for: body) { Self.show(body, etag: $0, .ok, Self.patchFields, .full) }
        return context.unlessKnown(etag) { response }
    }

    // MARK: - PATCH /downloads/{id}

    func patch(_ id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        try await context.patching { try await change(id, context) }
    }

    private func change(_ id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await replaying(context, Self.patchFields) { request in
            try await change(id, bytes, request, context)
        }
    }

    private func change(
        _ id: DownloadID,
        _ bytes: [UInt8],
        _ request: IdempotentRequest?,
        _ context: RequestContext
    ) async throws -> ServerResponse {
        var patch = try DownloadPatch(parsing: bytes)
        patch.expectedRevision = try await revision(of: id, expected: patch.expectedRevision, context)
        let time = time
        let replay = request.map { request in
            IdempotentOperation(request: request) { download in
                Self.response(download, status: 200, hasLocation: false, time)
            }
        }
        let ready = patch
        let changed = try await service.change(id, ready, replay: replay)
        return try changed.response {
            show($0, .ok, Self.patchFields)
        } replay: {
            .replay($0, Self.patchFields)
        }
    }

    // MARK: - DELETE /downloads/{id}

    func delete(_ id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["force", "delete_file"])
        let force = try query.flag("force") ?? false
        let removesFile = try query.flag("delete_file") ?? true
        let revision = try await revision(of: id, context)
        try await service.delete(id, force: force, removesFile: removesFile, expectedRevision: revision)
        return ServerResponse(status: .noContent)
    }

    private func revision(
        of id: DownloadID,
        expected: Int64? = nil,
        _ context: RequestContext
    ) async throws -> Int64? {
        try await context.revision(
            expected: expected,
            orSay: "The download has changed: its ETag is another one."
        ) {
            let view = try await service.download(id)
            return (DownloadBody(view, time.now).etag, view.download.revision)
        }
    }

    // MARK: - Responses

    /// Responds to a repeated request with the stored response.
    func replaying(
        _ context: RequestContext,
        _ fields: HTTPFields = [:],
        _ body: (IdempotentRequest?) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        try await context.replaying { request in
            try await service.earlierResponse(to: request)
        } with: {
            .replay($0, fields)
        } _: { request in
            try await body(request)
        }
    }

    func show(
        _ view: DownloadView,
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields = [:],
        _ detail: DownloadDetail = .full
    ) -> ServerResponse {
        let body = DownloadBody(view, time.now)
        return Self.show(body, etag: body.etag, status, fields, detail)
    }

    private static func show(
        _ body: DownloadBody,
        etag: String,
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields,
        _ detail: DownloadDetail
    ) -> ServerResponse {
        var fields = fields
        fields[.eTag] = etag
        return .json(status, DetailedDownload(body: body, detail: detail).encoded(), fields)
    }

    private static func response(_ creation: Creation, _ time: TimeSource) -> StoredResponse {
        switch creation {
        case .created(let download): return response(download, status: 201, hasLocation: true, time)
        case .existing(let download): return response(download, status: 200, hasLocation: true, time)
        case .refused(let refusal):
            // A refused request changes nothing, so its response is not stored.
            let problem = Problem(because: ServiceError(refusal)).body
            return StoredResponse(status: problem.status, location: nil, etag: nil, body: problem.encoded())
        }
    }

    private static func response(
        _ download: Download,
        status: Int,
        hasLocation: Bool,
        _ time: TimeSource
    ) -> StoredResponse {
        let body = DownloadBody(DownloadView(download: download), time.now)
        return StoredResponse(
            status: status,
            location: hasLocation ? path(download.id) : nil,
            etag: body.etag,
            body: body.encoded()
        )
    }

    private static let path = "/downloads/"

    private static func path(_ id: DownloadID) -> String { path + id.text }

    /// The id in the path of a `Location` field.
    static func id(atPath text: String) -> DownloadID? {
        text.hasPrefix(path) ? DownloadID(String(text.dropFirst(path.count))) : nil
    }
}

extension Downloads {
    // MARK: - GET /downloads/{id}/attempts

    func attempts(_ id: DownloadID, _ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let path = "/downloads/\(id)/attempts"
        let paging = try Paging(query, path: path, list: "attempts \(id)", cursors) { Int($0) }
        let requests = try await service.requests(of: id, before: paging.after, limit: paging.fetchLimit)
        return paging.response(requests, key: { String($0.number) }, item: AttemptBody.init)
    }
}
