import Core
import HTTPServer
import HTTPTypes
import Service

/// `/webhooks`, `/webhooks/{id}`, and the actions and deliveries of a webhook.
struct WebhookRoutes: Sendable {
    let service: WebhookService
    let cursors: CursorSealer

    // MARK: - GET

    func get(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let summary = try await mappingServiceErrors { () async throws(ServiceError) in try await service.webhook(id) }
        let etag = body(summary).etag
        return context.unlessKnown(etag) { show(summary, .ok) }
    }

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let paging = try Paging(query, path: "/webhooks", list: "webhooks", cursors) { WebhookID($0) }
        let webhooks = try await mappingServiceErrors { () async throws(ServiceError) in
            try await service.webhooks(after: paging.after, limit: paging.fetchLimit)
        }
        return paging.response(webhooks, key: \.webhook.id.text) { body($0) }
    }

    // MARK: - POST /webhooks

    func create(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await replaying(context, Self.patchFields, isSecret: true) { request throws(Problem) in
            let draft = WebhookDraft(try parsing { () throws(BodyError) in try CreateWebhookBody(parsing: bytes) })
            let replay = secretReplay(request) { routes, made in
                let body = routes.body(made.summary, secret: made.secret)
                let path = "/webhooks/\(made.summary.webhook.id)"
                return StoredResponse(status: 201, location: path, etag: body.etag, body: body.encoded())
            }
            let made = try await mappingServiceErrors { () async throws(ServiceError) in
                try await service.create(draft, replay: replay)
            }
            return try made.response { made in
                let fields: HTTPFields = [.location: "/webhooks/\(made.summary.webhook.id)"]
                return show(made.summary, .created, fields, secret: made.secret)
            } replay: { response throws(Problem) in
                .replay(try opened(response), Self.patchFields)
            }
        }
    }

    // MARK: - PATCH and DELETE /webhooks/{id}

    func patch(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        try await context.patching { () async throws(Problem) in try await change(id, context) }
    }

    private func change(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let patch = try parsing { () throws(BodyError) in try PatchWebhookBody(parsing: bytes) }
        var edit = WebhookEdit(patch)
        edit.expectedRevision = try await revision(of: id, expected: patch.expectedRevision, context)
        let ready = edit
        return show(
            try await mappingServiceErrors { () async throws(ServiceError) in try await service.change(id, ready) },
            .ok
        )
    }

    func delete(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let revision = try await revision(of: id, expected: nil, context)
        try await mappingServiceErrors { () async throws(ServiceError) in
            try await service.delete(id, expectedRevision: revision)
        }
        return ServerResponse(status: .noContent)
    }

    private func revision(
        of id: WebhookID,
        expected: Int64?,
        _ context: RequestContext
    ) async throws(Problem) -> Int64? {
        let unmatched = "The webhook has changed: its ETag or revision is another one."
        return try await context.revision(expected: expected, orSay: unmatched) { () async throws(ServiceError) in
            let summary = try await service.webhook(id)
            return (body(summary).etag, summary.webhook.revision)
        }
    }

    // MARK: - Actions

    func rotateSecret(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await replaying(context, isSecret: true) { request throws(Problem) in
            let body = try parsing { () throws(BodyError) in try RotateSecretBody(parsing: bytes) }
            let replay = secretReplay(request) { _, made in
                let body = RotatedSecretBody(made.secret, made.summary).encoded()
                return StoredResponse(status: 200, location: nil, etag: nil, body: body)
            }
            let rotated = try await mappingServiceErrors { () async throws(ServiceError) in
                try await service.rotateSecret(
                    of: id,
                    to: body.secret,
                    grace: body.grace,
                    isForced: body.isForced,
                    replay: replay
                )
            }
            return try rotated.response { made in
                .json(.ok, RotatedSecretBody(made.secret, made.summary).encoded())
            } replay: { response throws(Problem) in
                .replay(try opened(response))
            }
        }
    }

    func recover(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        return try await replaying(context) { request throws(Problem) in
            let body = try parsing { () throws(BodyError) in try RecoverBody(parsing: bytes) }
            let replay = request.map { request in
                IdempotentOperation(request: request) { (count: Int) in
                    let body = RecoveryBody(scheduled: count).encoded()
                    return StoredResponse(status: 202, location: nil, etag: nil, body: body)
                }
            }
            let recovered = try await mappingServiceErrors { () async throws(ServiceError) in
                try await service.recover(id, body.states, since: body.since, until: body.until, replay: replay)
            }
            return try recovered.response {
                .json(.accepted, RecoveryBody(scheduled: $0).encoded())
            } replay: {
                .replay($0)
            }
        }
    }

    func ping(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        try requireNothing(in: context.body)
        return try await replaying(context) { request throws(Problem) in
            let replay = request.map { IdempotentOperation(request: $0, response: Self.response) }
            return try accepted(
                try await mappingServiceErrors { () async throws(ServiceError) in
                    try await service.ping(id, replay: replay)
                }
            )
        }
    }

    // MARK: - Deliveries

    func deliveries(of id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
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
        let deliveries = try await mappingServiceErrors { () async throws(ServiceError) in
            try await service.deliveries(of: id, filter, before: paging.after, limit: paging.fetchLimit)
        }
        return paging.response(deliveries, key: \.id.text, item: DeliveryBody.init)
    }

    func delivery(_ path: DeliveryPath, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let detail = try await mappingServiceErrors { () async throws(ServiceError) in
            try await service.delivery(path.delivery, of: path.webhook)
        }
        return .json(.ok, DeliveryDetailBody(detail).encoded())
    }

    func redeliver(_ path: DeliveryPath, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        try requireNothing(in: context.body)
        return try await replaying(context) { request throws(Problem) in
            let replay = request.map { IdempotentOperation(request: $0, response: Self.response) }
            return try accepted(
                try await mappingServiceErrors { () async throws(ServiceError) in
                    try await service.redeliver(path.delivery, of: path.webhook, replay: replay)
                }
            )
        }
    }

    /// The body of a request that has no members: an empty object, or nothing.
    private func requireNothing(in body: [UInt8]) throws(Problem) {
        guard !body.isEmpty else { return }
        try parsing { () throws(BodyError) in
            try ObjectReader(body: body).close()
        }
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

    private func accepted(_ delivery: IdempotentResult<Delivery>) throws(Problem) -> ServerResponse {
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
        _ body: (IdempotentRequest?) async throws(Problem) -> ServerResponse
    ) async throws(Problem) -> ServerResponse {
        try await context.replaying {
            (request) async throws(ServiceError) in
            try await service.earlierResponse(to: request)
        } with: { response throws(Problem) in
            .replay(isSecret ? try opened(response) : response, fields)
        } _: { (request) async throws(Problem) in
            try await body(request)
        }
    }

    /// Stores a response that contains a secret, encrypted.
    private func secretReplay(
        _ request: IdempotentRequest?,
        _ response: @escaping @Sendable (WebhookRoutes, WebhookWithSecret) -> StoredResponse
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
