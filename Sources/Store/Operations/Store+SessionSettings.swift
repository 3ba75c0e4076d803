import GRDB
public import Model

/// What became of a request to set up a session.
public enum SessionSetup: Sendable {
    case made(Session)
    /// It was there, and is as it was asked for.
    case changed(Session)
    /// It is not what was expected; nothing was changed.
    case unexpected(Session?)
}

extension Store {
    /// Gives a session its settings, making it where it is not there.
    public func setUpSession(
        _ name: SessionName,
        _ settings: SessionSettings,
        expecting expectation: SessionExpectation = .any,
        now: Timestamp
    ) async throws -> SessionSetup {
        try await writer.write { transaction in
            let old = try transaction.database.sessions("WHERE name = ?", [name.text]).first
            switch (expectation, old?.revision) {
            case (.any, _), (.absent, nil): break
            case (.revision(let expected), let revision?) where expected == revision: break
            case (.absent, _), (.revision, _): return .unexpected(old)
            }
            if let url = settings.callbackURL { try transaction.enableCallback(url, at: now) }
            guard var session = old else { return .made(try transaction.make(name, settings, at: now)) }
            guard session.settings != settings else { return .changed(session) }
            session.settings = settings
            session.revision += 1
            try transaction.update(session)
            // More of it may run now.
            transaction.notices.insert(.downloads)
            return .changed(session)
        }
    }
}

extension Transaction {
    fileprivate func make(_ name: SessionName, _ settings: SessionSettings, at now: Timestamp) throws -> Session {
        try execute(
            """
            INSERT INTO session (
                name, created_at, epoch_started_at, rate_bytes_per_second, max_concurrent, max_bytes, labels,
                callback_url)
            VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7)
            """,
            [
                name.text, now.milliseconds, settings.rateBytesPerSecond, settings.maxConcurrent, settings.maxBytes,
                settings.labels?.text, settings.callbackURL,
            ]
        )
        return Session(name: name, epoch: 1, openCount: 0, createdAt: now, finishedAt: nil, settings: settings)
    }

    fileprivate func update(_ session: Session) throws {
        let settings = session.settings
        try execute(
            """
            UPDATE session SET
                revision = ?, rate_bytes_per_second = ?, max_concurrent = ?, max_bytes = ?, labels = ?,
                callback_url = ?
            WHERE name = ?
            """,
            [
                session.revision, settings.rateBytesPerSecond, settings.maxConcurrent, settings.maxBytes,
                settings.labels?.text, settings.callbackURL, session.name.text,
            ]
        )
    }
}
