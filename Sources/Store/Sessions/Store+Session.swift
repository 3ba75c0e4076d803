public import Core
import GRDB

extension Store {
    /// A session with the totals of its downloads, from one snapshot; nil if it does not exist.
    public func session(_ name: SessionName) async throws -> SessionSummary? {
        try await readers.readSnapshot { database in
            let session = try database.session(name)
            return try session.map { try database.summary(of: $0) }
        }
    }

    /// Sessions by name; only those after `name` if it is given.
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
        try self.values(Session.self, "SELECT \(Session.columnList) FROM session \(clause)", values)
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
            summary.counts[try reader.next()] = try reader.next(Int.self)
            summary.receivedBytes += try reader.next()
            summary.totalBytes += try reader.next()
        }
        return summary
    }
}
