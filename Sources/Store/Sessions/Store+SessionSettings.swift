public import Core
import GRDB

/// The result of a change of a session's settings.
public enum SessionSetup: Sendable {
    case made(Session)
    /// It was there, and is as it was asked for.
    case changed(Session)
    /// It is not what was expected; nothing was changed.
    case unexpected(Session?)
    /// The id at this index of `webhook_ids` is no webhook's; nothing was changed.
    case unknownWebhook(at: Int)
}

/// The result of deleting a session.
public enum SessionDeletion: Sendable {
    case deleted
    case notFound
    /// So many of its downloads have not ended.
    case notTerminal(open: Int)
    /// It is not what was expected.
    case revisionMismatch(Session)
}

extension Store {
    /// Sets the settings of a session; creates the session if there is none.
    ///
    /// - Parameter seals: Also seals it, for good. A sealed session stays sealed.
    public func setUpSession(
        _ name: SessionName,
        _ settings: SessionSettings,
        seals: Bool = false,
        expecting expectation: SessionExpectation = .any,
        now: Timestamp
    ) async throws -> SessionSetup {
        try await writer.write { transaction in
            let old = try transaction.database.session(name)
            switch (expectation, old?.revision) {
            case (.any, _), (.absent, nil): break
            case (.revision(let expected), let revision?) where expected == revision: break
            case (.absent, _), (.revision, _): return .unexpected(old)
            }
            return try transaction.setUp(name, old, settings, seals: seals, now: now)
        }
    }

    /// Gives a session that is there the settings that are made of those it has. They may be made more than once.
    ///
    /// - Parameter seals: As of ``setUpSession(_:_:seals:expecting:now:)``.
    public func changeSession(
        _ name: SessionName,
        seals: Bool,
        expectedRevision: Int64?,
        now: Timestamp,
        _ settings: @escaping @Sendable (Session) throws -> SessionSettings
    ) async throws -> SessionSetup {
        try await writer.write { transaction in
            guard let old = try transaction.database.session(name) else { return .unexpected(nil) }
            let settings = try settings(old)
            if let expectedRevision, expectedRevision != old.revision { return .unexpected(old) }
            return try transaction.setUp(name, old, settings, seals: seals, now: now)
        }
    }

    /// Deletes limits, labels and seal of a session without an open download. The downloads and the session's name
    /// stay.
    ///
    /// Its row stays, hidden, so that a later session of this name continues the count of drains: no two events of a
    /// name have the same drain.
    public func deleteSession(
        _ name: SessionName,
        expectedRevision: Int64?,
        now: Timestamp
    ) async throws -> SessionDeletion {
        try await writer.write { transaction in
            guard let old = try transaction.database.session(name) else { return .notFound }
            if let expectedRevision, expectedRevision != old.revision { return .revisionMismatch(old) }
            guard old.openCount == 0 else { return .notTerminal(open: old.openCount) }
            _ = try transaction.change(name) { session in
                session.settings = SessionSettings()
                session.sealedAt = nil
                session.revision += 1
            }
            try transaction.execute("UPDATE session SET deleted = 1 WHERE name = ?", [name.text])
            return .deleted
        }
    }
}

extension Transaction {
    fileprivate func setUp(
        _ name: SessionName,
        _ old: Session?,
        _ settings: SessionSettings,
        seals: Bool,
        now: Timestamp
    ) throws -> SessionSetup {
        // The id of a webhook that was deleted since is allowed to stay.
        if let index = try unknown(settings.webhookIDs, but: old?.settings.webhookIDs ?? []) {
            return .unknownWebhook(at: index)
        }
        if let url = settings.callbackURL { try enableCallback(url, at: now) }
        guard var session = old else {
            try make(name, at: now)
            return .made(
                try change(name) { session in
                    session.settings = settings
                    session.sealedAt = seals ? now : nil
                }
            )
        }
        let isSealing = seals && !session.isSealed
        guard isSealing || session.settings != settings else { return .changed(session) }
        session = try change(name) { session in
            session.settings = settings
            session.revision += 1
            if isSealing { session.sealedAt = now }
        }
        // More of it may run now.
        notices.insert(.downloads)
        return .changed(session)
    }

    /// Makes a session, or what is left of a deleted one to a session again.
    fileprivate func make(_ name: SessionName, at now: Timestamp) throws {
        try execute(
            """
            INSERT INTO session (name, created_at, epoch_started_at) VALUES (?1, ?2, ?2)
            ON CONFLICT (name) DO UPDATE SET created_at = ?2, finished_at = NULL, deleted = 0
            """,
            [name.text, now.milliseconds]
        )
    }

    /// Closes an existing session to new downloads.
    func seal(_ name: SessionName, at now: Timestamp) throws {
        guard let session = try database.session(name), !session.isSealed else { return }
        _ = try change(name) { session in
            session.sealedAt = now
            session.revision += 1
        }
    }

    fileprivate func change(_ name: SessionName, _ change: (inout Session) -> Void) throws -> Session {
        guard var session = try database.session(name) else { throw StoreError.refused("no session \(name)") }
        change(&session)
        try execute(Session.updateStatement) { writer in
            session.changingColumns(&writer)
            writer.add(name.text)
        }
        rows.sessionsNameWebhooks = nil
        return session
    }
}
