import Core

extension Webhook: RowValue {
    static let blank = Webhook(
        id: WebhookID(first: Timestamp(milliseconds: 0)),
        createdBy: .api,
        settings: WebhookSettings(url: .blank),
        createdAt: Timestamp(milliseconds: 0),
        updatedAt: Timestamp(milliseconds: 0)
    )

    /// The list for SELECT, with the table name before each column.
    static let columnList = columnNames().columnList(of: "webhook")

    static let insertion = RowBatch.insertion(into: "webhook", columnNames())
    static let update = RowBatch.update(of: "webhook", columnNames { $0.changingColumns(&$1) }, key: ["id"])

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("id", &id)
        try row.column("created_by", &createdBy)
        try row.column("created_at", &createdAt)
        try changingColumns(&row)
    }

    /// The columns that a client may change.
    mutating func changingColumns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try settings.columns(&row)
        try row.optional(&keys)
        // Derived from the reason.
        var isEnabled = isEnabled
        try row.column("enabled", &isEnabled)
        try row.optional(&disabled)
        try row.column("revision", &revision)
        try row.column("updated_at", &updatedAt)
    }
}

extension Webhook.Disabling: RowValue {
    static let blank = Webhook.Disabling(reason: "", at: Timestamp(milliseconds: 0))

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        var (reason, at) = (reason, at)
        try row.column("disabled_reason", &reason)
        try row.column("disabled_at", &at)
        if row.isReading { self = Webhook.Disabling(reason: reason, at: at) }
    }
}

extension WebhookKeys: RowValue {
    static let blank = WebhookKeys(sealed: [], fingerprint: "")

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        var data = Blob(sealed)
        try row.column("secret", &data)
        if row.isReading { sealed = data.bytes }
        try row.column("secret_fingerprint", &fingerprint)
        try row.optional(&previous)
    }
}

extension WebhookKeys.Previous: RowValue {
    static let blank = WebhookKeys.Previous(sealed: [], expiresAt: Timestamp(milliseconds: 0))

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        var (data, expiresAt) = (Blob(sealed), expiresAt)
        try row.column("previous_secret", &data)
        try row.column("previous_secret_expires_at", &expiresAt)
        if row.isReading { self = WebhookKeys.Previous(sealed: data.bytes, expiresAt: expiresAt) }
    }
}

extension WebhookSettings: RowValue {
    static let blank = WebhookSettings(url: .blank)

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("url", &url)
        try row.column("description", &description)
        var patterns = eventTypes?.map(\.text)
        try row.column("event_types", &patterns)
        // A pattern of a later version that this version does not know is ignored.
        if row.isReading { eventTypes = patterns?.compactMap { EventPattern($0) } }
        try row.column("session_filter", &session)
        try row.column("labels_filter", &labels)
        try row.column("payload", &form.payload)
        try row.column("format", &form.format)
        try row.column("ordering", &ordering)
        try row.column("rate_limit_per_second", &rateLimitPerSecond)
        try row.column("headers", &headers)
        try row.column("header_names", &headerNames)
        try row.column("verification", &verification)
    }
}

/// A webhook with its delivery record. The record does not exist until something was sent.
extension WebhookSummary: RowValue {
    static let blank = WebhookSummary(webhook: .blank, record: WebhookRecord())

    static let columnList = [
        Webhook.columnList, WebhookRecord.columnNames().columnList(of: "webhook_record"),
    ].joined(separator: ", ")

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try webhook.columns(&row)
        var record: WebhookRecord? = record
        try row.optional(&record)
        self.record = record ?? WebhookRecord()
    }
}

extension WebhookRecord: RowValue {
    static let blank = WebhookRecord()

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("succeeded", &succeeded)
        try row.column("failed", &failed)
        try row.column("last_success_at", &lastSuccessAt)
        try row.column("last_failure_at", &lastFailureAt)
        try health.columns(&row)
    }
}

extension WebhookHealth: RowValue {
    static let blank = WebhookHealth()

    static let columnList = columnNames().columnList()

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("consecutive_failures", &consecutiveFailures)
        try row.column("window_began_at", &windowBeganAt)
        try row.column("window_failures", &windowFailures)
        try row.column("failing_since", &failingSince)
    }
}
