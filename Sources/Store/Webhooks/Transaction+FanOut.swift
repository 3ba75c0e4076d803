import Core

/// Creates the deliveries of an event in the event's transaction.
extension Transaction {
    /// Creates a delivery for each webhook that matches the event.
    ///
    /// - Parameters:
    ///   - callbackURLs: Additional receivers, which get the default event types.
    ///   - body: The event in its standard form, as in the log.
    func fanOut(_ event: Event, callbackURLs: [DownloadURL], body: [UInt8]) throws {
        let webhooks = try chosenWebhooks()
        guard !webhooks.isEmpty || !callbackURLs.isEmpty else { return }
        var bodies = [EventForm.standard: body]
        // For a webhook without filters it makes no difference whether it is named.
        let named = try webhooks.contains(where: \.filter.isNarrow) ? webhooksNamed(for: event.subject) : []
        for chosen in webhooks
        where chosen.webhook.isEnabled && chosen.filter.matches(event, isNamed: named.contains(chosen.webhook.id)) {
            try deliver(event, to: chosen.webhook, &bodies)
        }
        guard event.type.isDefault else { return }
        for url in callbackURLs where !SealedURL.isDropped(url) {
            let webhook = try callback(url, at: event.at)
            if webhook.isEnabled { try deliver(event, to: webhook, &bodies) }
        }
    }

    /// The webhooks that a download or session names, or the session of that download.
    private func webhooksNamed(for subject: Event.Subject) throws -> [WebhookID] {
        switch subject {
        case .download(let download, _, _):
            try download.request.webhookIDs + (download.request.session.map(webhooksNamed) ?? [])
        case .session(let finished): finished.webhookIDs
        case .webhook, .operation: []
        }
    }

    private func webhooksNamed(by session: SessionName) throws -> [WebhookID] {
        try account(session)?.session.settings.webhookIDs ?? []
    }

    /// - Parameter bodies: A cache of the encoded forms of the event.
    /// - Returns: The id of the delivery.
    @discardableResult
    func deliver(_ event: Event, to webhook: Webhook, _ bodies: inout [EventForm: [UInt8]]) throws -> DeliveryID {
        let id = DeliveryID(drawnAt: event.at)
        let session = webhook.settings.ordering == .session ? event.subject.session : nil
        let place = try session.map { try hasHead($0, of: webhook.id) ? "behind" : "head" }
        let delivery = NewDelivery(
            id: id,
            sequence: event.sequence,
            webhook: webhook.id,
            nextAttemptAt: event.at,
            session: session,
            place: place
        )
        try database.write(NewDelivery.insertion) { delivery.write(to: &$0) }
        let form = webhook.settings.form
        if form != .standard {
            let body = bodies[form] ?? encode(event, form)
            bodies[form] = body
            try execute(
                "INSERT INTO delivery_body (delivery, format, body) VALUES (?, ?, ?)",
                [id, form.format, Blob(body)]
            )
        }
        notices.insert(.deliveries)
        return id
    }

    private func hasHead(_ session: SessionName, of webhook: WebhookID) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM delivery WHERE webhook = ? AND session = ? AND place = 'head'",
            [webhook, session]
        )
    }

    /// Makes the oldest waiting delivery the head after one that has ended, or has blocked it long enough.
    func passHead(_ delivery: DeliveryID, of webhook: WebhookID, _ session: SessionName) throws {
        let count = try execute(
            "UPDATE delivery SET session = NULL, place = NULL, blocks_until = NULL WHERE id = ? AND place = 'head'",
            [delivery]
        )
        guard count == 1 else { return }
        try execute(
            """
            UPDATE delivery SET place = 'head' WHERE id = (
                SELECT id FROM delivery {index delivery_behind}
                WHERE webhook = ? AND session = ? AND place = 'behind' ORDER BY event LIMIT 1)
            """,
            [webhook, session]
        )
    }
}

/// The backlog of a receiver that was unreachable and has recovered.
///
/// Each delivery gets one early attempt. It is not part of the schedule, and another one follows only after the next
/// attempt of the schedule. So a delivery that is always refused is retried no longer than its schedule.
extension Transaction {
    /// How many consecutive attempts must fail before a success means that the receiver has recovered. A single failure
    /// may be caused by the event.
    private static let failuresOfOutage = 2
    /// Deliveries attempted this recently are not sent early yet: the receiver may refuse them.
    private static let recentAttempt = Duration.seconds(5)
    private static let releasedAtOnce = 500

    /// Records a successful attempt.
    ///
    /// - Returns: The time of the receiver's recovery if there may be a backlog; nil otherwise.
    func countSuccess(of webhook: WebhookID, at now: Timestamp) throws -> Timestamp? {
        try database.first(
            Timestamp.self,
            """
            INSERT INTO webhook_record (webhook, succeeded, last_success_at) VALUES (?1, 1, ?2)
            ON CONFLICT (webhook) DO UPDATE SET
                succeeded = webhook_record.succeeded + 1, last_success_at = ?2, consecutive_failures = 0,
                window_began_at = NULL, window_failures = 0, failing_since = NULL,
                backlog_before = CASE
                    WHEN webhook_record.consecutive_failures >= ?3 THEN ?2 ELSE webhook_record.backlog_before END
            RETURNING backlog_before
            """,
            [webhook, now, Self.failuresOfOutage]
        )
    }

    /// Makes part of the backlog due: deliveries whose last attempt was before the recovery, except recent attempts.
    ///
    /// - Returns: When to call this again; nil if nothing is left.
    func releaseBacklog(of webhook: WebhookID, triedBefore end: Timestamp, at now: Timestamp) throws -> Timestamp? {
        let earliest = end + Self.recentAttempt
        let count = try execute(
            """
            UPDATE delivery SET planned_at = next_attempt_at, next_attempt_at = ?1 WHERE id IN (
                SELECT id FROM delivery {index delivery_due}
                WHERE webhook = ?2 AND state = 'pending' AND place {is not} 'behind' AND next_attempt_at > ?1
                    AND planned_at IS NULL
                    AND EXISTS (
                        SELECT 1 FROM delivery_attempt a
                        WHERE a.delivery = delivery.id AND a.number = delivery.attempts AND a.at <= ?3)
                ORDER BY next_attempt_at LIMIT ?4)
            """,
            [now, webhook, min(end, now - Self.recentAttempt), Self.releasedAtOnce]
        )
        guard count < Self.releasedAtOnce else { return max(earliest, now) }
        guard now >= earliest else { return earliest }
        try execute("UPDATE webhook_record SET backlog_before = NULL WHERE webhook = ?", [webhook])
        return nil
    }

    /// Releases the backlogs of all webhooks, once the attempts right before the recovery are old enough.
    ///
    /// - Returns: When to call this again; nil if nothing is left.
    func releaseBacklogs(at now: Timestamp) throws -> Timestamp? {
        let rows = try database.all(
            """
            SELECT webhook, backlog_before FROM webhook_record {index webhook_backlog}
            WHERE backlog_before IS NOT NULL ORDER BY backlog_before
            """
        ) { row in
            (try row.next(WebhookID.self), try row.next(Timestamp.self))
        }
        var next: Timestamp?
        for (webhook, end) in rows {
            let earliest = end + Self.recentAttempt
            let due = earliest <= now ? try releaseBacklog(of: webhook, triedBefore: end, at: now) : earliest
            if let due { next = min(next ?? due, due) }
        }
        return next
    }

    /// Completes an early attempt.
    ///
    /// - Returns: The next attempt of the schedule; nil if the attempt was part of the schedule.
    func plannedAttempt(of delivery: DeliveryID, after attempt: DeliveryAttempt) throws -> Timestamp? {
        let planned = try database.first(Timestamp.self, "SELECT planned_at FROM delivery WHERE id = ?", [delivery])
        guard let planned, attempt.startedAt < planned else { return nil }
        return planned
    }
}
