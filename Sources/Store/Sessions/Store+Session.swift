public import Core
import GRDB

extension Store {
    /// A session with what its downloads add up to, as one commit left them; nil where there is none.
    public func session(_ name: SessionName) async throws -> SessionSummary? {
        try await readers.readSnapshot { database in
            let session = try database.session(name)
            return try session.map { try database.summary(of: $0) }
        }
    }

    /// Sessions in the order of their names, those after `name` if one is given.
    public func sessions(after name: SessionName?, limit: Int) async throws -> [SessionSummary] {
        try await readers.readSnapshot { database in
            try database
                .sessions("WHERE name > ? AND deleted = 0 ORDER BY name LIMIT ?", [name?.text ?? "", limit])
                .map { try database.summary(of: $0) }
        }
    }
}

extension Database {
    func session(_ name: SessionName) throws -> Session? {
        try sessions("WHERE name = ? AND deleted = 0", [name.text]).first
    }

    fileprivate func sessions(_ clause: String, _ values: [(any DatabaseValueConvertible)?]) throws -> [Session] {
        let statement = try cachedStatement(
            sql: """
                SELECT name, session_epoch, open_count, created_at, finished_at, sealed_at, used_bytes, revision,
                    rate_bytes_per_second, max_concurrent, max_bytes, labels, callback_url, webhook_ids
                FROM session \(clause)
                """
        )
        return try Row.fetchAll(statement, arguments: StatementArguments(values)).map { row in
            var reader = RowReader(row)
            let text: String = try reader.next()
            guard let name = SessionName(text) else { throw StoreError.unreadable("session '\(text)'") }
            return try Session(
                name: name,
                epoch: reader.next(),
                openCount: reader.next(),
                createdAt: reader.time(),
                finishedAt: reader.optionalTime(),
                sealedAt: reader.optionalTime(),
                usedBytes: reader.next(),
                revision: reader.next(),
                settings: SessionSettings(
                    rateBytesPerSecond: reader.optional(),
                    maxConcurrent: reader.optional(),
                    maxBytes: reader.optional(),
                    labels: reader.optional(String.self).map(JSONText.init(canonical:)),
                    callbackURL: reader.optional(),
                    webhookIDs: [WebhookID](column: reader.optional())
                )
            )
        }
    }

    fileprivate func summary(of session: Session) throws -> SessionSummary {
        var summary = SessionSummary(session: session, counts: [:], receivedBytes: 0, totalBytes: 0)
        let statement = try cachedStatement(
            sql: """
                SELECT state, count(*), sum(durable_bytes), coalesce(sum(total_bytes), 0)
                FROM download WHERE session = ? GROUP BY state
                """
        )
        let rows = try Row.fetchCursor(statement, arguments: [session.name.text])
        while let row = try rows.next() {
            var reader = RowReader(row)
            summary.counts[try reader.word()] = try reader.next()
            summary.receivedBytes += try reader.next()
            summary.totalBytes += try reader.next()
        }
        return summary
    }
}
