public import Core
public import Store
public import Transfer

/// The operations of clients on webhooks, with their rules, on top of the store.
///
/// Each call commits and returns; the dispatcher finds due deliveries in the store.
public final class WebhookService: Sendable {
    let store: Store
    let vault: CredentialVault
    let destinations: WebhookDestinations
    private let consent: ConsentClient
    let retention: Duration
    let time: TimeSource
    /// The fingerprint of the default secret, which signs for webhooks without a secret of their own.
    public let defaultFingerprint: String

    /// The maximum number of webhooks that clients have created.
    static let limit = 50
    /// The maximum number of attempts at a change, which is repeated if another one was committed first.
    private static let tries = 5

    /// - Parameter retention: How long deliveries are kept.
    public init(
        store: Store,
        vault: CredentialVault,
        settings: DeliverySettings,
        retention: Duration,
        time: TimeSource
    ) {
        self.store = store
        self.vault = vault
        destinations = settings.destinations
        consent = ConsentClient(
            destinations: settings.destinations,
            userAgent: settings.userAgent,
            certificateAuthorityFile: settings.certificateAuthorityFile,
            network: settings.network
        )
        self.retention = retention
        self.time = time
        defaultFingerprint = settings.secret.fingerprint
    }

    // MARK: - Reading

    /// The stored response to an equal earlier request; nil for a new request.
    public func earlierResponse(to request: IdempotentRequest) async throws -> StoredResponse? {
        try await store.earlierResponse(to: request)
    }

    public func webhook(_ id: WebhookID) async throws -> WebhookSummary {
        guard let summary = try await store.webhook(id) else { throw ServiceError.notFound }
        return current(summary)
    }

    /// Hides a previous secret that has expired, but is not purged yet.
    private func current(_ summary: WebhookSummary) -> WebhookSummary {
        guard let previous = summary.webhook.keys?.previous, !previous.isValid(at: time.now) else { return summary }
        var summary = summary
        summary.webhook.keys?.previous = nil
        return summary
    }

    /// Webhooks in the order of creation; only those after `id` if it is given.
    public func webhooks(after id: WebhookID?, limit: Int) async throws -> [WebhookSummary] {
        try await store.webhooks(after: id, limit: limit).map(current)
    }

    // MARK: - Creating and changing

    /// Creates a webhook.
    ///
    /// - Parameter replay: Its response contains the secret, so it is stored encrypted.
    public func create(
        _ draft: WebhookDraft,
        replay: IdempotentOperation<WebhookWithSecret>? = nil
    ) async throws -> IdempotentResult<WebhookWithSecret> {
        var settings = draft.settings
        settings.url = try checked(draft.settings.url)
        set(draft.headers, in: &settings)
        let (keys, secret) = try makeKeys(draft.secret)
        if draft.isEnabled { try await requireConsent(to: settings) }
        let now = time.now
        var webhook = Webhook(
            id: WebhookID(at: now),
            createdBy: .api,
            settings: settings,
            createdAt: now,
            updatedAt: now
        )
        webhook.keys = keys
        webhook.disabled = draft.isEnabled ? nil : Self.requested(at: now)
        let made = try await store.create(webhook, limit: Self.limit, replay: replay?.with(secret))
        return try made.map { (summary) throws(ServiceError) in
            guard let summary else {
                let detail = "There are \(Self.limit) webhooks already. Delete one first."
                throw .unprocessable([Violation("", .malformed, detail)])
            }
            return WebhookWithSecret(summary: summary, secret: secret)
        }
    }

    public func change(_ id: WebhookID, _ edit: WebhookEdit) async throws -> WebhookSummary {
        let changed = try await update(id, expectedRevision: edit.expectedRevision) { (webhook) throws(ServiceError) in
            let url = webhook.settings.url
            webhook.settings = edit.settings(webhook.settings)
            webhook.settings.url =
                try edit.url.map { (url) throws(ServiceError) in try checked(url) } ?? url
            if let patch = edit.headers {
                // The new header fields replace unreadable ones.
                let old = webhook.settings.headers.flatMap { vault.open($0) }?.headers ?? []
                set(patch.applied(to: old), in: &webhook.settings)
            }
            switch edit.isEnabled {
            case true?: webhook.disabled = nil
            case false?: webhook.disabled = webhook.disabled ?? Self.requested(at: time.now)
            case nil: break
            }
        }
        // Without an idempotency key the request cannot be a repeated one.
        guard case .done(let summary) = changed else { throw ServiceError.idempotencyKeyReused }
        return summary
    }

    /// Deletes a webhook and its waiting deliveries.
    public func delete(_ id: WebhookID, expectedRevision: Int64?) async throws {
        try requireClients(try await webhook(id).webhook)
        let now = time.now
        let outcome = try await store.deleteWebhook(id, expectedRevision: expectedRevision, now: now)
        switch outcome {
        case .done: return
        case .unexpected(let revision): throw ServiceError.revisionMismatch(current: revision)
        case .notFound: throw ServiceError.notFound
        }
    }

    /// Replaces the secret of a webhook. The previous secret signs too, for a while.
    ///
    /// - Parameters:
    ///   - grace: How long the previous secret signs too.
    ///   - isForced: Discards a previous secret that has not expired.
    ///   - replay: Its response contains the secret, so it is stored encrypted.
    public func rotateSecret(
        of id: WebhookID,
        to text: String?,
        grace: Duration,
        isForced: Bool,
        replay: IdempotentOperation<WebhookWithSecret>? = nil
    ) async throws -> IdempotentResult<WebhookWithSecret> {
        let (keys, secret) = try makeKeys(text)
        let rotated = try await update(
            id,
            expectedRevision: nil,
            replay: replay?.with(secret)
        ) { (webhook) throws(ServiceError) in
            let now = time.now
            if !isForced, let previous = webhook.keys?.previous, previous.isValid(at: now) {
                throw .rotationInProgress(until: previous.expiresAt)
            }
            let old = webhook.keys?.sealed
            webhook.keys = keys
            if let old, grace > .zero { webhook.keys?.previous = .init(sealed: old, expiresAt: now + grace) }
        }
        return rotated.map { WebhookWithSecret(summary: $0, secret: secret) }
    }

    /// Changes a webhook that belongs to a client.
    private func update(
        _ id: WebhookID,
        expectedRevision: Int64?,
        replay: IdempotentOperation<WebhookSummary>? = nil,
        _ change: (inout Webhook) throws(ServiceError) -> Void
    ) async throws -> IdempotentResult<WebhookSummary> {
        for attempt in 1...Self.tries {
            let current = try await webhook(id).webhook
            try requireClients(current)
            if let expectedRevision, expectedRevision != current.revision {
                throw ServiceError.revisionMismatch(current: current.revision)
            }
            var changed = current
            try change(&changed)
            if changed.isAnotherEndpoint(than: current) { try await requireConsent(to: changed.settings) }
            let (new, now) = (changed, time.now)
            switch try await store.update(new, replay: replay, now: now) {
            case .done(.done(let summary)): return .done(summary)
            case .done(.unexpected(let revision)):
                if expectedRevision != nil || attempt == Self.tries {
                    throw ServiceError.revisionMismatch(current: revision)
                }
            case .done(.notFound): throw ServiceError.notFound
            case .replayed(let response): return .replayed(response)
            case .keyReused: return .keyReused
            }
        }
        throw ServiceError.notFound
    }

    /// Requests the endpoint's consent if its settings require that.
    private func requireConsent(to settings: WebhookSettings) async throws {
        guard settings.verification == .cloudEvents else { return }
        guard let origin = destinations.origin else {
            let detail = "This needs the setting webhook_origin."
            throw ServiceError.unprocessable([Violation("/verify", .malformed, detail)])
        }
        // The rules may have changed since the URL was given.
        guard let url = try? vault.open(settings.url) else {
            let detail = "The stored URL cannot be decrypted with the current key. Give the URL again."
            throw ServiceError.unprocessable([Violation("/url", .malformed, detail)])
        }
        try destinations.validate(url, pointer: "/url")
        let consentRequest = ConsentRequest(origin: origin, ratePerSecond: settings.rateLimitPerSecond)
        let headers = settings.headers.flatMap { vault.open($0) }?.headers ?? []
        guard let refusal = try await consent.refusal(consentRequest, url: url, headers: headers) else { return }
        throw ServiceError.unprocessable([Violation("/url", .malformed, refusal)])
    }

    /// Validates the URL of an endpoint and encrypts its secret parts: path and query.
    private func checked(_ url: DownloadURL) throws(ServiceError) -> DownloadURL {
        try destinations.validate(url, pointer: "/url")
        return vault.seal(url, hiding: .path)
    }

    private func requireClients(_ webhook: Webhook) throws(ServiceError) {
        guard webhook.createdBy == .api else { throw .webhookReadOnly(webhook.createdBy) }
    }

    private func set(_ headers: [RequestCredentials.Header], in settings: inout WebhookSettings) {
        settings.headers = headers.isEmpty ? nil : vault.seal(RequestCredentials(headers: headers))
        settings.headerNames = headers.map(\.name)
    }

    private func makeKeys(_ given: String?) throws(ServiceError) -> (WebhookKeys, text: String) {
        let (secret, text): (WebhookSecret, String)
        if let given {
            guard let parsed = WebhookSecret(given) else {
                let detail = "Expected whsec_ and the base64 of 24 to 64 bytes."
                throw .invalid([Violation("/secret", .malformed, detail)])
            }
            (secret, text) = (parsed, given)
        } else {
            (secret, text) = WebhookSecret.random()
        }
        return (WebhookKeys(sealed: vault.seal(bytes: Array(text.utf8)), fingerprint: secret.fingerprint), text)
    }

    private static func requested(at now: Timestamp) -> Webhook.Disabling {
        Webhook.Disabling(reason: DisablingReason.requested.rawValue, at: now)
    }
}

extension Webhook {
    /// Whether the endpoint has changed, or the subject of its consent.
    fileprivate func isAnotherEndpoint(than old: Webhook) -> Bool {
        isEnabled
            && (!old.isEnabled || settings.url != old.settings.url
                || settings.verification != old.settings.verification)
    }
}
