import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Webhooks
import Wire

/// `/webhooks`, `/webhooks/{id}` and what may be asked of one.
struct WebhookRoutes: Sendable {
    let service: WebhookService
    let cursors: CursorSealer

    // MARK: - GET

    func get(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let summary = try await asked { () async throws(JobError) in try await service.webhook(id) }
        let etag = body(summary).etag
        return context.unlessKnown(etag) { show(summary, .ok) }
    }

    func list(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(context.request.query, allowed: ["limit", "cursor"], problem: .invalidFilter)
        let paging = try Paging(query, path: "/webhooks", list: "webhooks", cursors) { WebhookID($0) }
        let webhooks = try await asked { () async throws(JobError) in
            try await service.webhooks(after: paging.after, limit: paging.wanted)
        }
        return paging.answer(webhooks, key: \.webhook.id.text) { body($0) }
    }

    // MARK: - POST /webhooks

    func create(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let draft = WebhookDraft(try parsing { () throws(BodyFault) in try CreateWebhookBody(parsing: bytes) })
        let (summary, secret) = try await asked { () async throws(JobError) in try await service.create(draft) }
        return show(summary, .created, [.location: "/webhooks/\(summary.webhook.id)"], secret: secret)
    }

    // MARK: - PATCH and DELETE /webhooks/{id}

    func patch(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        try await context.patching { () async throws(Problem) in try await change(id, context) }
    }

    private func change(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let (format, bytes) = (context.patchFormat, context.body)
        let patch = try parsing { () throws(BodyFault) in try PatchWebhookBody(parsing: bytes, as: format) }
        var edit = WebhookEdit(patch)
        edit.expectedRevision = try await revision(of: id, expected: patch.expectedRevision, context)
        let ready = edit
        return show(try await asked { () async throws(JobError) in try await service.change(id, ready) }, .ok)
    }

    func delete(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let revision = try await revision(of: id, expected: nil, context)
        try await asked { () async throws(JobError) in try await service.delete(id, expectedRevision: revision) }
        return ServerResponse(status: .noContent)
    }

    private func revision(
        of id: WebhookID,
        expected: Int64?,
        _ context: RequestContext
    ) async throws(Problem) -> Int64? {
        let unmatched = "The webhook is not as the request says."
        return try await context.revision(expected: expected, orSay: unmatched) { () async throws(JobError) in
            let summary = try await service.webhook(id)
            return (body(summary).etag, summary.webhook.revision)
        }
    }

    // MARK: - Actions

    func act(
        _ action: Route.WebhookAction,
        on id: WebhookID,
        _ context: RequestContext
    ) async throws(Problem) -> ServerResponse {
        switch action {
        case .ping: try await ping(id, context)
        case .recover: try await recover(id, context)
        case .rotateSecret: try await rotateSecret(id, context)
        }
    }

    private func rotateSecret(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let body = try parsing { () throws(BodyFault) in try RotateSecretBody(parsing: bytes) }
        let (summary, secret) = try await asked { () async throws(JobError) in
            try await service.rotateSecret(of: id, to: body.secret, grace: body.grace, isForced: body.isForced)
        }
        return .json(.ok, RotatedSecretBody(secret, summary).encoded())
    }

    private func recover(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let body = try parsing { () throws(BodyFault) in try RecoverBody(parsing: bytes) }
        let count = try await asked { () async throws(JobError) in
            try await service.recover(id, body.states, since: body.since, until: body.until)
        }
        return .json(.accepted, RecoveryBody(scheduled: count).encoded())
    }

    private func ping(_ id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        return accepted(try await asked { () async throws(JobError) in try await service.ping(id) })
    }

    // MARK: - Deliveries

    func deliveries(of id: WebhookID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        let query = try Query(
            context.request.query,
            allowed: ["limit", "cursor", "state", "event_type", "after", "before"],
            problem: .invalidFilter
        )
        let filter = try DeliveryFilter(query)
        let filters = filter.text(of: query)
        let path = "/webhooks/\(id)/deliveries"
        let shown = filters.isEmpty ? path : "\(path)?\(filters)"
        let paging = try Paging(query, path: shown, list: shown, cursors) { DeliveryID($0) }
        let deliveries = try await asked { () async throws(JobError) in
            try await service.deliveries(of: id, filter, before: paging.after, limit: paging.wanted)
        }
        return paging.answer(deliveries, key: \.id.text, item: DeliveryBody.init)
    }

    func delivery(
        _ delivery: DeliveryID,
        of id: WebhookID,
        _ context: RequestContext
    ) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let detail = try await asked { () async throws(JobError) in try await service.delivery(delivery, of: id) }
        return .json(.ok, DeliveryDetailBody(detail).encoded())
    }

    func redeliver(
        _ delivery: DeliveryID,
        of id: WebhookID,
        _ context: RequestContext
    ) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        return accepted(try await asked { () async throws(JobError) in try await service.redeliver(delivery, of: id) })
    }

    // MARK: - Answers

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

    private func accepted(_ delivery: Delivery) -> ServerResponse {
        .json(.accepted, DeliveryBody(delivery).encoded(), [.location: DeliveryBody.path(delivery)])
    }
}

extension WebhookDraft {
    /// What `POST /webhooks` asks for.
    fileprivate init(_ body: CreateWebhookBody) {
        self.init(
            settings: WebhookSettings(
                url: body.url,
                description: body.description,
                eventTypes: body.eventTypes,
                session: body.session,
                labels: body.labels,
                form: body.form,
                ordering: body.ordering,
                rateLimitPerSecond: body.rateLimitPerSecond,
                verification: body.verification
            ),
            headers: body.headers,
            isEnabled: body.isEnabled,
            secret: body.secret
        )
    }
}

extension WebhookEdit {
    /// What `PATCH /webhooks/{id}` asks for.
    fileprivate init(_ body: PatchWebhookBody) {
        self.init(
            settings: { body.applied(to: $0) },
            url: body.url,
            headers: body.headers.map(Self.transform),
            isEnabled: body.isEnabled
        )
    }

    private static func transform(_ patch: HeaderPatch) -> DownloadChange.HeadersTransform {
        { headers in patch.applied(to: headers) }
    }
}
