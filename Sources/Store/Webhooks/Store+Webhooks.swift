public import Core

/// The result of a change of a webhook.
public enum WebhookChange: Sendable {
    /// The webhook after the change.
    case done(WebhookSummary)
    /// The webhook does not have the expected revision. Nothing was changed.
    case unexpected(revision: Int64)
    case notFound
}

extension Store {
    /// Sets the webhook of the settings: one enabled row with the given URL; none for nil.
    ///
    /// A webhook that the settings no longer name stays as a disabled row, for its deliveries.
    public func configureWebhook(_ url: DownloadURL?, now: Timestamp) async throws {
        // Must succeed on a full disk: otherwise events until the next start would not reach the webhook.
        try await writer.write(isVital: true) { transaction in
            let old = try transaction.database.webhooks("FROM webhook WHERE created_by = 'settings'").first
            if let url {
                try transaction.setWebhookOfSettings(url, old, at: now)
            } else if let old, old.isEnabled {
                _ = try transaction.disable(old, .removed, at: now)
            }
            transaction.notices.insert(.deliveries)
        }
    }

    /// Creates a webhook.
    ///
    /// - Parameter limit: The maximum number of webhooks created by clients.
    /// - Returns: The webhook; nil if the maximum is reached.
    public func create(
        _ webhook: Webhook,
        limit: Int,
        replay: IdempotentOperation<WebhookSummary>? = nil
    ) async throws -> IdempotentResult<WebhookSummary?> {
        try await writer.write { transaction in
            try transaction.once(replay, now: webhook.createdAt) {
                let others = try transaction.chosenWebhooks().count { $0.webhook.createdBy == .api }
                guard others < limit else { return nil }
                try transaction.insert(webhook)
                return WebhookSummary(webhook: webhook, record: WebhookRecord())
            } keeping: {
                $0
            }
        }
    }

    /// A webhook; nil if it does not exist or is deleted.
    public func webhook(_ id: WebhookID) async throws -> WebhookSummary? {
        try await readers.lookUp {
            try $0.webhookSummaries("WHERE id = ? AND deleted_at IS NULL", [id]).first
        }
    }

    /// Webhooks in the order of creation; only those after `id` if it is given.
    public func webhooks(after id: WebhookID?, limit: Int) async throws -> [WebhookSummary] {
        try await readers.read {
            try $0.webhookSummaries(
                "WHERE id > ? AND deleted_at IS NULL ORDER BY id LIMIT ?",
                [id?.text ?? "", limit]
            )
        }
    }

    /// Updates a webhook. If it becomes enabled, its failures are reset.
    ///
    /// - Parameter webhook: Must have the revision that was read.
    public func update(_ webhook: Webhook, now: Timestamp) async throws -> WebhookChange {
        try await writer.write { try $0.change(webhook, now: now) }
    }

    /// Updates a webhook as above, once for each idempotency key.
    public func update(
        _ webhook: Webhook,
        replay: IdempotentOperation<WebhookSummary>?,
        now: Timestamp
    ) async throws -> IdempotentResult<WebhookChange> {
        try await writer.write { transaction in
            try transaction.once(replay, now: now) {
                try transaction.change(webhook, now: now)
            } keeping: { change in
                guard case .done(let summary) = change else { return nil }
                return summary
            }
        }
    }

    /// Deletes a webhook. Its waiting deliveries are not sent. Its row is purged later, with its deliveries.
    ///
    /// - Parameter revision: The expected revision; nil for any.
    public func deleteWebhook(
        _ id: WebhookID,
        expectedRevision revision: Int64?,
        now: Timestamp
    ) async throws -> WebhookChange {
        try await writer.write { transaction in
            guard let old = try transaction.current(id) else { return .notFound }
            if let revision, revision != old.revision { return .unexpected(revision: old.revision) }
            let disabled = try transaction.disable(old, .deleted, at: now)
            try transaction.execute("UPDATE webhook SET deleted_at = ? WHERE id = ?", [now, id])
            return .done(WebhookSummary(webhook: disabled, record: WebhookRecord()))
        }
    }
}

extension Transaction {
    /// A webhook; nil if it does not exist or is deleted.
    fileprivate func current(_ id: WebhookID) throws -> Webhook? {
        try database.webhooks("FROM webhook WHERE id = ? AND deleted_at IS NULL", [id]).first
    }

    fileprivate func change(_ webhook: Webhook, now: Timestamp) throws -> WebhookChange {
        guard let old = try current(webhook.id) else { return .notFound }
        guard old.revision == webhook.revision else { return .unexpected(revision: old.revision) }
        var new = webhook
        if new != old {
            new.revision += 1
            new.updatedAt = now
            try update(new)
        }
        if new.isEnabled && !old.isEnabled { try forgetHealth(of: new.id) }
        notices.insert(.deliveries)
        let summary = try database.webhookSummaries("WHERE id = ?", [new.id]).first
        return summary.map { .done($0) } ?? .notFound
    }

    fileprivate func setWebhookOfSettings(_ url: DownloadURL, _ old: Webhook?, at now: Timestamp) throws {
        guard var webhook = old else {
            let new = Webhook(
                id: WebhookID(at: now),
                createdBy: .settings,
                settings: WebhookSettings(url: url),
                createdAt: now,
                updatedAt: now
            )
            return try insert(new)
        }
        guard webhook.settings.url != url || !webhook.isEnabled else { return }
        webhook.settings.url = url
        webhook.disabled = nil
        webhook.revision += 1
        webhook.updatedAt = now
        try update(webhook)
        try forgetHealth(of: webhook.id)
    }

    /// Purges the deliveries of deleted webhooks, deleted webhooks without deliveries, and expired secrets.
    func purgeWebhooks(limit: Int, now: Timestamp) throws -> Int {
        let expired = try execute(
            """
            UPDATE webhook SET previous_secret = NULL, previous_secret_expires_at = NULL
            WHERE previous_secret_expires_at IS NOT NULL AND previous_secret_expires_at NOT BETWEEN ? + 1 AND ?
            """,
            [now, now + WebhookKeys.longestGrace]
        )
        if expired > 0 { rows.webhooks = nil }
        let deleted = try database.all(String.self, "SELECT id FROM webhook WHERE deleted_at IS NOT NULL")
        var count = 0
        for id in deleted where count < limit {
            count += try execute(
                "DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE webhook = ? LIMIT ?)",
                [id, limit - count]
            )
            guard count < limit else { break }
            try execute("DELETE FROM webhook WHERE id = ?", [id])
            count += 1
        }
        return count
    }

    /// Deletes the deliveries of an event, and the webhooks of a `callback_url` that have no other delivery.
    func purgeDeliveries(of sequence: Int64) throws {
        let callbacks = try database.all(
            String.self,
            """
            SELECT webhook.id FROM delivery JOIN webhook ON webhook.id = delivery.webhook
            WHERE delivery.event = ? AND webhook.created_by = 'callback'
            """,
            [sequence]
        )
        try execute("DELETE FROM delivery WHERE event = ?", [sequence])
        for id in callbacks {
            try execute(
                "DELETE FROM webhook WHERE id = ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE webhook = ?)",
                [id, id]
            )
        }
    }
}
