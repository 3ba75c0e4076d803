import Core

/// A webhook whose filter is matched against events.
struct WebhookCandidate: Sendable {
    let webhook: Webhook
    let filter: WebhookFilter

    init(_ webhook: Webhook) {
        self.webhook = webhook
        filter = webhook.settings.filter
    }
}

extension Transaction {
    /// The webhooks of the settings and of clients. They are cached, so an event without a receiver needs no statement.
    func chosenWebhooks() throws -> [WebhookCandidate] {
        if let webhooks = rows.webhooks { return webhooks }
        let webhooks = try database.webhooks(
            "FROM webhook {index webhook_chosen} WHERE created_by <> 'callback' AND deleted_at IS NULL"
        ).map(WebhookCandidate.init)
        rows.webhooks = webhooks
        return webhooks
    }

    /// A webhook, even if it is deleted.
    func webhook(_ id: WebhookID) throws -> Webhook? {
        if let chosen = try chosenWebhooks().first(where: { $0.webhook.id == id }) { return chosen.webhook }
        return try database.webhooks("FROM webhook WHERE id = ?", [id]).first
    }

    /// The index of the first id that belongs to no webhook of the settings or of clients.
    ///
    /// - Parameter others: Ids that are also accepted.
    func unknown(_ ids: [WebhookID], but others: [WebhookID] = []) throws -> Int? {
        guard !ids.isEmpty else { return nil }
        let known = try chosenWebhooks().map(\.webhook.id) + others
        return ids.firstIndex { !known.contains($0) }
    }

    /// The webhook of a `callback_url`; created if there is none.
    func callback(_ url: DownloadURL, at now: Timestamp) throws -> Webhook {
        let condition = "FROM webhook WHERE created_by = 'callback' AND url = ?"
        if let webhook = try database.webhooks(condition, [url]).first { return webhook }
        let webhook = Webhook(
            id: WebhookID(at: now),
            createdBy: .callback,
            settings: WebhookSettings(url: url),
            createdAt: now,
            updatedAt: now
        )
        try insert(webhook)
        return webhook
    }

    /// Enables the webhook of a `callback_url` again, because a request has named it again.
    func enableCallback(_ url: DownloadURL, at now: Timestamp) throws {
        try execute(
            """
            UPDATE webhook SET
                enabled = 1, disabled_reason = NULL, disabled_at = NULL, revision = revision + 1, updated_at = ?
            WHERE created_by = 'callback' AND url = ? AND enabled = 0
            """,
            [now, url]
        )
    }

    func insert(_ webhook: Webhook) throws {
        try database.write(Webhook.insertion) { webhook.write(to: &$0) }
        rows.webhooks = nil
    }

    /// Writes the columns of a webhook that can change.
    func update(_ webhook: Webhook) throws {
        try database.write(Webhook.update) { writer in
            var webhook = webhook
            webhook.changingColumns(&writer)
            writer.add(webhook.id)
        }
        rows.webhooks = nil
    }

    /// Disables a webhook. Claims suspend its waiting deliveries when they encounter them.
    func disable(_ webhook: Webhook, _ reason: DisablingReason, at now: Timestamp) throws -> Webhook {
        var disabled = webhook
        disabled.disabled = Webhook.Disabling(reason: reason.rawValue, at: now)
        disabled.revision += 1
        disabled.updatedAt = now
        try update(disabled)
        notices.insert(.deliveries)
        return disabled
    }

    /// Resets the recorded health of the receiver.
    func forgetHealth(of webhook: WebhookID) throws {
        try execute(
            """
            UPDATE webhook_record SET
                consecutive_failures = 0, window_began_at = NULL, window_failures = 0, failing_since = NULL
            WHERE webhook = ?
            """,
            [webhook]
        )
    }
}

extension Database {
    /// - Parameter clause: The SQL from `FROM` on.
    func webhooks(_ clause: String, _ values: [any ParameterValue] = []) throws -> [Webhook] {
        try self.values(Webhook.self, "SELECT \(Webhook.columnList) \(clause)", values)
    }

    /// - Parameter clause: The SQL from `WHERE` on.
    func webhookSummaries(_ clause: String, _ values: [any ParameterValue]) throws -> [WebhookSummary] {
        try self.values(
            WebhookSummary.self,
            """
            SELECT \(WebhookSummary.columnList)
            FROM webhook LEFT JOIN webhook_record ON webhook_record.webhook = webhook.id \(clause)
            """,
            values
        )
    }
}
