public import Core

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
        try sessions("WHERE name = ? AND deleted = 0", [name]).first
    }

    fileprivate func sessions(_ clause: String, _ values: [any ParameterValue]) throws -> [Session] {
        try self.values(Session.self, "SELECT \(Session.columnList) FROM session \(clause)", values)
    }

    fileprivate func summary(of session: Session) throws -> SessionSummary {
        let totals = try totals(of: session.name)
        return SessionSummary(
            session: session,
            counts: totals.counts,
            receivedBytes: totals.receivedBytes,
            totalBytes: totals.totalBytes
        )
    }
}
