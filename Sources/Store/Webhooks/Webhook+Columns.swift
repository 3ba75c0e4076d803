import Core
import Foundation
import GRDB

extension Webhook {
    /// What a client may change comes last, so that it is written in one piece.
    static let columns =
        ["id", "origin", "created_at"] + changingColumns

    static let changingColumns = [
        "url", "description", "event_types", "session_filter", "labels_filter", "payload", "format", "ordering",
        "rate_limit_per_second", "headers", "header_names", "verification", "secret", "secret_fingerprint",
        "previous_secret", "previous_secret_expires_at", "enabled", "disabled_reason", "disabled_at", "revision",
        "updated_at",
    ]

    /// For SELECT, with the name of the table before each.
    static let list = columns.map { "webhook.\($0)" }.joined(separator: ", ")

    init(_ reader: inout RowReader) throws {
        let id = try reader.id(WebhookKind.self)
        let origin: Origin = try reader.word()
        let createdAt = try reader.time()
        let settings = try WebhookSettings(&reader)
        let keys = try WebhookKeys(&reader)
        // It follows from the reason.
        _ = try reader.next(Bool.self)
        let reason: String? = reader.optional()
        let disabledAt = reader.optionalTime()
        try self.init(
            id: id,
            origin: origin,
            settings: settings,
            keys: keys,
            disabled: reason.flatMap { reason in disabledAt.map { Disabling(reason: reason, at: $0) } },
            revision: reader.next(),
            createdAt: createdAt,
            updatedAt: reader.time()
        )
    }

    func write(to writer: inout RowWriter) {
        writer.add(id.text)
        writer.add(origin.rawValue)
        writer.add(createdAt.milliseconds)
        writeChanging(to: &writer)
    }

    /// Writes ``changingColumns``.
    func writeChanging(to writer: inout RowWriter) {
        settings.write(to: &writer)
        writer.add((keys?.sealed).map { Data($0) })
        writer.add(keys?.fingerprint)
        writer.add((keys?.previous?.sealed).map { Data($0) })
        writer.add(keys?.previous?.expiresAt.milliseconds)
        writer.add(isEnabled)
        writer.add(disabled?.reason)
        writer.add(disabled?.at.milliseconds)
        writer.add(revision)
        writer.add(updatedAt.milliseconds)
    }
}

extension WebhookKeys {
    fileprivate init?(_ reader: inout RowReader) throws {
        let sealed: Data? = reader.optional()
        let fingerprint: String? = reader.optional()
        let previous: Data? = reader.optional()
        let expiresAt = reader.optionalTime()
        guard let sealed, let fingerprint else { return nil }
        self.init(
            sealed: [UInt8](sealed),
            fingerprint: fingerprint,
            previous: previous.flatMap { previous in
                expiresAt.map { Previous(sealed: [UInt8](previous), expiresAt: $0) }
            }
        )
    }
}

extension WebhookSettings {
    fileprivate init(_ reader: inout RowReader) throws {
        try self.init(
            url: reader.next(),
            description: reader.optional(),
            // A pattern of a later version that means nothing here is left out.
            eventTypes: reader.optional(String.self).map { [String](column: $0).compactMap { EventPattern($0) } },
            session: reader.optional(String.self).map { text in
                guard let filter = SessionFilter(text) else { throw StoreError.unreadable("session filter '\(text)'") }
                return filter
            },
            labels: reader.optional(String.self).map(JSONText.init(canonical:)),
            form: EventForm(payload: reader.word(), format: reader.word()),
            ordering: reader.word(),
            rateLimitPerSecond: reader.optional(),
            headers: reader.optional(Data.self).map { SealedCredentials(bytes: [UInt8]($0)) },
            headerNames: [String](column: reader.optional()),
            verification: reader.word()
        )
    }

    fileprivate func write(to writer: inout RowWriter) {
        writer.add(url)
        writer.add(description)
        writer.add(eventTypes?.map(\.text).column)
        writer.add(session?.text)
        writer.add(labels?.text)
        writer.add(form.payload.rawValue)
        writer.add(form.format.rawValue)
        writer.add(ordering.rawValue)
        writer.add(rateLimitPerSecond)
        writer.add((headers?.bytes).map { Data($0) })
        writer.add(headerNames.column)
        writer.add(verification.rawValue)
    }
}

extension WebhookRecord {
    static let columns = [
        "succeeded", "failed", "last_success_at", "last_failure_at", "consecutive_failures", "window_began_at",
        "window_failures", "failing_since",
    ]

    /// For SELECT; nothing is recorded of a webhook that was sent nothing yet.
    static let list = columns.map { "webhook_record.\($0)" }.joined(separator: ", ")

    init(_ reader: inout RowReader) throws {
        try self.init(
            succeeded: reader.optional() ?? 0,
            failed: reader.optional() ?? 0,
            lastSuccessAt: reader.optionalTime(),
            lastFailureAt: reader.optionalTime(),
            health: WebhookHealth(&reader)
        )
    }
}

extension WebhookHealth {
    init(_ reader: inout RowReader) throws {
        self.init(
            consecutiveFailures: reader.optional() ?? 0,
            windowBeganAt: reader.optionalTime(),
            windowFailures: reader.optional() ?? 0,
            failingSince: reader.optionalTime()
        )
    }
}
