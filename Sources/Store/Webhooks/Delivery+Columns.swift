import Core

/// The columns of a new delivery.
struct NewDelivery: RowValue {
    var id: DeliveryID
    var sequence: Int64
    var webhook: WebhookID
    var nextAttemptAt: Timestamp
    /// For a webhook with ordered deliveries: the session, and the delivery's position in its order.
    var session: SessionName?
    var place: String?

    static let blank = NewDelivery(
        id: Delivery.blank.id,
        sequence: 0,
        webhook: Delivery.blank.webhook,
        nextAttemptAt: Timestamp(milliseconds: 0)
    )

    static let insertion = RowBatch.insertion(into: "delivery", columnNames())

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("id", &id)
        try row.column("event", &sequence)
        try row.column("webhook", &webhook)
        var state = DeliveryState.pending
        try row.column("state", &state)
        try row.column("next_attempt_at", &nextAttemptAt)
        try row.column("session", &session)
        try row.column("place", &place)
    }
}

/// A delivery with its event.
extension Delivery: RowValue {
    static let blank = Delivery(
        id: DeliveryID(first: Timestamp(milliseconds: 0)),
        webhook: WebhookID(first: Timestamp(milliseconds: 0)),
        event: EventID(first: Timestamp(milliseconds: 0)),
        eventType: .webhookPing,
        sequence: 0,
        eventAt: Timestamp(milliseconds: 0)
    )

    static let columnList = columnNames().columnList()

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("delivery.id", &id)
        try row.column("delivery.webhook", &webhook)
        try row.column("event.id", &event)
        try row.column("event.type", &eventType)
        try row.column("event.seq", &sequence)
        try row.column("event.at", &eventAt)
        try row.column("delivery.state", &state)
        try row.column("delivery.attempts", &attempts)
        try row.column("delivery.next_attempt_at", &nextAttemptAt)
        try row.column("delivery.finished_at", &finishedAt)
    }
}

/// A row of `delivery_attempt`, except the delivery.
extension LoggedDeliveryAttempt: RowValue {
    static let blank = LoggedDeliveryAttempt(
        number: 0,
        DeliveryAttempt(startedAt: Timestamp(milliseconds: 0), duration: .zero),
        nextAttemptAt: nil
    )

    static let columnList = columnNames().columnList()
    static let insertion = RowBatch.insertion(into: "delivery_attempt", columnNames() + ["delivery"])

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        var milliseconds = attempt.duration.wholeMilliseconds
        var excerpt = attempt.responseExcerpt.isEmpty ? nil : Blob(attempt.responseExcerpt)
        try row.column("number", &number)
        try row.column("at", &attempt.startedAt)
        try row.column("request_fields", &attempt.fields)
        try row.column("duration_ms", &milliseconds)
        try row.column("http_status", &attempt.status)
        try row.column("error", &attempt.error)
        try row.column("response_excerpt", &excerpt)
        try row.column("remote_address", &attempt.remoteAddress)
        try row.column("next_attempt_at", &nextAttemptAt)
        guard row.isReading else { return }
        attempt.duration = .milliseconds(milliseconds)
        attempt.responseExcerpt = excerpt?.bytes ?? []
    }
}

extension DeliveryAttempt.Field: ColumnListElement {
    /// Neither a name nor a value contains a line break.
    static var separator: Character { "\n" }

    var listed: String { "\(name): \(value)" }

    init?(listed: String) {
        let name = listed.prefix { $0 != ":" }
        self.init(name: String(name), value: String(listed.dropFirst(name.count + 2)))
    }
}

extension DueDelivery {
    /// Reads the columns of ``selectList``. They are only read: they are counted and selected from three tables.
    init(_ reader: inout RowReader, of webhook: Webhook, node: String) throws(StoreError) {
        let (id, event): (DeliveryID, EventID) = (try reader.next(), try reader.next())
        let (made, logged): (Int, Int) = (try reader.next(), try reader.next())
        let session: String? = try reader.next()
        let body: Blob = try reader.next()
        self.init(id: id, event: event, webhook: webhook, node: node, body: body.bytes, format: try reader.next())
        attemptsMade = made
        attemptsLogged = logged
        leads = session.flatMap { SessionName($0) }
    }

    static let selectList = """
        delivery.id, event.id, delivery.attempts - delivery.schedule_from, delivery.attempts, delivery.session,
        coalesce(delivery_body.body, event.body), coalesce(delivery_body.format, 'standard')
        """
}
