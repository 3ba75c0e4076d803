import Core

extension Transaction {
    /// Writes an event of a download, with a delivery for each matching webhook and for each `callback_url`.
    ///
    /// - Returns: The sequence number.
    @discardableResult
    func record(
        _ type: EventType,
        _ download: Download,
        from previousState: DownloadState?,
        restart: Event.Restart? = nil,
        deferral: QueueDeferral? = nil,
        at now: Timestamp
    ) throws -> Int64 {
        let event = Event(
            id: EventID(drawnAt: now),
            sequence: try nextSequence(),
            type: type,
            at: now,
            subject: .download(download, previousState: previousState, restart: restart),
            deferral: deferral
        )
        let body = try write(event, download: download.id, run: download.run)
        try fanOut(event, callbackURLs: download.request.callbackURLs, body: body)
        return event.sequence
    }

    /// Writes the event of a session whose last open download has ended.
    func record(_ finished: FinishedSession, at now: Timestamp) throws {
        let event = Event(
            id: EventID(drawnAt: now),
            sequence: try nextSequence(),
            type: .sessionFinished,
            at: now,
            subject: .session(finished)
        )
        let body = try write(event, sessionEpoch: finished.epoch)
        try fanOut(event, callbackURLs: finished.callbackURL.map { [$0] } ?? [], body: body)
    }

    /// Writes the event of a disabled webhook, with a delivery for each other matching webhook.
    func record(disabled webhook: Webhook, at now: Timestamp) throws {
        let event = try event(.webhookDisabled, of: webhook, at: now)
        try fanOut(event, callbackURLs: [], body: try write(event))
    }

    /// Writes the event of an operation that has ended.
    func record(finished operation: BulkOperation, at now: Timestamp) throws {
        let event = Event(
            id: EventID(drawnAt: now),
            sequence: try nextSequence(),
            type: .operationFinished,
            at: now,
            subject: .operation(operation)
        )
        try fanOut(event, callbackURLs: [], body: try write(event))
    }

    /// Writes the test event of a webhook, with one delivery.
    func recordPing(of webhook: Webhook, at now: Timestamp) throws -> DeliveryID {
        let event = try event(.webhookPing, of: webhook, at: now)
        var bodies = [EventForm.standard: try write(event)]
        return try deliver(event, to: webhook, &bodies)
    }

    private func event(_ type: EventType, of webhook: Webhook, at now: Timestamp) throws -> Event {
        let notice = WebhookNotice(id: webhook.id, url: webhook.settings.url, disabled: webhook.disabled)
        return Event(
            id: EventID(drawnAt: now),
            sequence: try nextSequence(),
            type: type,
            at: now,
            subject: .webhook(notice)
        )
    }

    /// - Returns: The standard form of the event, as written.
    private func write(
        _ event: Event,
        download: DownloadID? = nil,
        run: Int? = nil,
        sessionEpoch: Int64? = nil
    ) throws -> [UInt8] {
        let body = encode(event, .standard)
        let row = EventRow(
            sequence: event.sequence,
            id: event.id,
            type: event.type,
            at: event.at,
            download: download?.text,
            session: event.subject.session?.text,
            body: Blob(body),
            run: run,
            sessionEpoch: sessionEpoch
        )
        try database.write(EventRow.insertion) { row.write(to: &$0) }
        notices.insert(.events)
        return body
    }
}
