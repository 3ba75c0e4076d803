import Core
import HTTPServer
import HTTPTypes
import Service

/// `/webhooks`, `/webhooks/{id}`, and the actions and deliveries of a webhook.
struct Webhooks: Sendable {
    let service: WebhookService
    let cursors: CursorSealer

    // MARK: - GET

    func get(_ id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let summary = try await service.webhook(id)
        let etag = body(summary).etag
        return context.unlessKnown(etag) { show(summary, .ok) }
    }

    func list(_ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let paging = try Paging(query, path: "/webhooks", list: "webhooks", cursors) { WebhookID($0) }
        let webhooks = try await service.webhooks(after: paging.after, limit: paging.fetchLimit)
        return paging.response(webhooks, key: \.webhook.id.text) { body($0) }
    }

    // MARK: - POST /webhooks

    func create(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await replaying(context, Self.patchFields, isSecret: true) { request in
            let draft = WebhookDraft(try CreateWebhookBody(parsing: bytes))
            let replay = secretReplay(request) { routes, made in
                let body = routes.body(made.summary, secret: made.secret)
                let path = "/webhooks/\(made.summary.webhook.id)"
                return StoredResponse(status: 201, location: path, etag: body.etag, body: body.encoded())
            }
            let made = try await service.create(draft, replay: replay)
            return try made.response { made in
                let fields: HTTPFields = [.location: "/webhooks/\(made.summary.webhook.id)"]
                return show(made.summary, .created, fields, secret: made.secret)
            } replay: { response in
                .replay(try opened(response), Self.patchFields)
            }
        }
    }

    // MARK: - PATCH and DELETE /webhooks/{id}

    func patch(_ id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        try await context.patching { try await change(id, context) }
    }

    private func change(_ id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let patch = try PatchWebhookBody(parsing: bytes)
        var edit = WebhookEdit(patch)
        edit.expectedRevision = try await revision(of: id, expected: patch.expectedRevision, context)
        let ready = edit
        return show(
            try await service.change(id, ready),
            .ok
        )
    }

    func delete(_ id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let revision = try await revision(of: id, expected: nil, context)
        try await service.delete(id, expectedRevision: revision)
        return ServerResponse(status: .noContent)
    }

    private func revision(
        of id: WebhookID,
        expected: Int64?,
        _ context: RequestContext
    ) async throws -> Int64? {
        let unmatched = "The webhook has changed: its ETag or revision is another one."
        return try await context.revision(expected: expected, orSay: unmatched) {
            let summary = try await service.webhook(id)
            return (body(summary).etag, summary.webhook.revision)
        }
    }

    // MARK: - Actions

    func rotateSecret(_ id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await replaying(context, isSecret: true) { request in
            let body = try RotateSecretBody(parsing: bytes)
            let replay = secretReplay(request) { _, made in
                let body = RotatedSecretBody(made.secret, made.summary).encoded()
                return StoredResponse(status: 200, location: nil, etag: nil, body: body)
            }
            let rotated = try await service.rotateSecret(
                of: id,
                to: body.secret,
                grace: body.grace,
                isForced: body.isForced,
                replay: replay
            )
            return try rotated.response { made in
                .json(.ok, RotatedSecretBody(made.secret, made.summary).encoded())
            } replay: { response in
                .replay(try opened(response))
            }
        }
    }

    func recover(_ id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await replaying(context) { request in
            let body = try RecoverBody(parsing: bytes)
            let replay = request.map { request in
                IdempotentOperation(request: request) { (count: Int) in
                    let body = RecoveryBody(scheduled: count).encoded()
                    return StoredResponse(status: 202, location: nil, etag: nil, body: body)
                }
            }
            let recovered = try await service.recover(
                id,
                body.states,
                since: body.since,
                until: body.until,
                replay: replay
            )
            return try recovered.response {
                .json(.accepted, RecoveryBody(scheduled: $0).encoded())
            } replay: {
                .replay($0)
            }
        }
    }

    func ping(_ id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        try requireNothing(in: context.body)
        return try await replaying(context) { request in
            let replay = request.map { IdempotentOperation(request: $0, response: Self.response) }
            return try accepted(
                try await service.ping(id, replay: replay)
            )
        }
    }

    // MARK: - Deliveries

    func deliveries(of id: WebhookID, _ context: RequestContext) async throws -> ServerResponse {
        let query = try Query(
            context.request.query,
            allowed: ["limit", "cursor", "state", "types", "created_after", "created_before"],
            problem: .invalidFilter
        )
        let filter = try DeliveryFilter(query)
        let filters = filter.text(of: query)
        let path = "/webhooks/\(id)/deliveries"
        let shown = filters.isEmpty ? path : "\(path)?\(filters)"
        let paging = try Paging(query, path: shown, list: shown, cursors) { DeliveryID($0) }
        let deliveries = try await service.deliveries(of: id, filter, before: paging.after, limit: paging.fetchLimit)
        return paging.response(deliveries, key: \.id.text, item: DeliveryBody.init)
    }

    func delivery(_ path: DeliveryPath, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let detail = try await service.delivery(path.delivery, of: path.webhook)
        return .json(.ok, DeliveryDetailBody(detail).encoded())
    }

    func redeliver(_ path: DeliveryPath, _ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        try requireNothing(in: context.body)
        return try await replaying(context) { request in
            let replay = request.map { IdempotentOperation(request: $0, response: Self.response) }
            return try accepted(
                try await service.redeliver(path.delivery, of: path.webhook, replay: replay)
            )
        }
    }

    /// The body of a request that has no members: an empty object, or nothing.
    private func requireNothing(in body: [UInt8]) throws {
        guard !body.isEmpty else { return }
        try ObjectReader(body: body).close()
    }

    // MARK: - Responses

    private func body(_ summary: WebhookSummary, secret: String? = nil) -> WebhookBody {
        WebhookBody(summary, defaultFingerprint: service.defaultFingerprint, secret: secret)
    }

    private func show(
        _ summary: WebhookSummary,
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields = [:],
        secret: String? = nil
    ) -> ServerResponse {
        let body = body(summary, secret: secret)
        var fields = fields
        fields[.eTag] = body.etag
        fields[.acceptPatch] = RequestContext.acceptPatch
        return .json(status, body.encoded(), fields)
    }

    private func accepted(_ delivery: IdempotentResult<Delivery>) throws -> ServerResponse {
        try delivery.response {
            .json(.accepted, DeliveryBody($0).encoded(), [.location: DeliveryBody.path($0)])
        } replay: {
            .replay($0)
        }
    }

    private static func response(_ delivery: Delivery) -> StoredResponse {
        StoredResponse(
            status: 202,
            location: DeliveryBody.path(delivery),
            etag: nil,
            body: DeliveryBody(delivery).encoded()
        )
    }

    // MARK: - Repeated requests

    private static let patchFields: HTTPFields = [.acceptPatch: RequestContext.acceptPatch]

    /// - Parameter isSecret: Whether the response contains a secret, so that it is stored encrypted.
    private func replaying(
        _ context: RequestContext,
        _ fields: HTTPFields = [:],
        isSecret: Bool = false,
        _ body: (IdempotentRequest?) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        try await context.replaying { request in
            try await service.earlierResponse(to: request)
        } with: { response in
            .replay(isSecret ? try opened(response) : response, fields)
        } _: { request in
            try await body(request)
        }
    }

    /// Stores a response that contains a secret, encrypted.
    private func secretReplay(
        _ request: IdempotentRequest?,
        _ response: @escaping @Sendable (Webhooks, WebhookWithSecret) -> StoredResponse
    ) -> IdempotentOperation<WebhookWithSecret>? {
        request.map { request in
            IdempotentOperation(request: request) { [self] made in
                let plain = response(self, made)
                return StoredResponse(
                    status: plain.status,
                    location: plain.location,
                    etag: plain.etag,
                    body: cursors.seal(plain.body)
                )
            }
        }
    }

    private func opened(_ response: StoredResponse) throws(Problem) -> StoredResponse {
        guard let body = cursors.open(response.body) else {
            throw Problem(because: .internal(cause: "a stored answer was encrypted with another key"))
        }
        return StoredResponse(status: response.status, location: response.location, etag: response.etag, body: body)
    }
}

extension WebhookDraft {
    /// The draft of `POST /webhooks`.
    fileprivate init(_ body: CreateWebhookBody) {
        var settings = WebhookSettings(url: body.url)
        settings.description = body.description
        settings.eventTypes = body.eventTypes
        settings.session = body.session
        settings.labels = body.labels
        settings.form = body.form
        settings.ordering = body.ordering
        settings.rateLimitPerSecond = body.rateLimitPerSecond
        settings.verification = body.verification
        self.init(
            settings: settings,
            headers: body.headers,
            isEnabled: body.isEnabled,
            secret: body.secret
        )
    }
}

extension WebhookEdit {
    /// The patch of `PATCH /webhooks/{id}`.
    fileprivate init(_ body: PatchWebhookBody) {
        self.init(
            settings: { body.applied(to: $0) },
            url: body.url,
            headers: body.headers,
            isEnabled: body.isEnabled
        )
    }
}
