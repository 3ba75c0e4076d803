public import Core

/// The result of a change of a session's settings.
public enum SessionSetup: Sendable {
    case made(Session)
    /// The session existed, and has the new settings.
    case changed(Session)
    /// The session does not meet the expectation. Nothing was changed.
    case unexpected(Session?)
    /// No webhook has the id at this index of `webhook_ids`. Nothing was changed.
    case unknownWebhook(at: Int)
}

/// The result of deleting a session.
public enum SessionDeletion: Sendable {
    case deleted
    case notFound
    /// This number of its downloads has not ended.
    case notTerminal(open: Int)
    /// The session has another revision.
    case revisionMismatch(Session)
}

extension Store {
    /// Sets the settings of a session. Creates the session if it does not exist.
    ///
    /// - Parameter seals: Also seals the session, permanently. A sealed session stays sealed.
    public func setUpSession(
        _ name: SessionName,
        _ settings: SessionSettings,
        seals: Bool = false,
        expecting expectation: SessionExpectation = .any,
        now: Timestamp
    ) async throws -> SessionSetup {
        try await writer.write { transaction in
            let old = try transaction.session(name)
            switch (expectation, old?.revision) {
            case (.any, _), (.absent, nil): break
            case (.revision(let expected), let revision?) where expected == revision: break
            case (.absent, _), (.revision, _): return .unexpected(old)
            }
            return try transaction.setUp(name, old, settings, seals: seals, now: now)
        }
    }

    /// Changes the settings of an existing session. The new settings are derived from the current ones, perhaps more
    /// than once.
    ///
    /// - Parameter seals: As in ``setUpSession(_:_:seals:expecting:now:)``.
    public func changeSession(
        _ name: SessionName,
        seals: Bool,
        expectedRevision: Int64?,
        now: Timestamp,
        _ settings: @escaping @Sendable (Session) throws -> SessionSettings
    ) async throws -> SessionSetup {
        try await writer.write { transaction in
            guard let old = try transaction.session(name) else { return .unexpected(nil) }
            let settings = try settings(old)
            if let expectedRevision, expectedRevision != old.revision { return .unexpected(old) }
            return try transaction.setUp(name, old, settings, seals: seals, now: now)
        }
    }

    /// Deletes limits, labels and seal of a session without an open download. The downloads keep the session's name.
    ///
    /// The row stays, hidden, so that a later session of this name continues the epochs: no two `session.finished` of a
    /// name have the same number.
    public func deleteSession(
        _ name: SessionName,
        expectedRevision: Int64?,
        now: Timestamp
    ) async throws -> SessionDeletion {
        try await writer.write { transaction in
            guard let old = try transaction.session(name) else { return .notFound }
            if let expectedRevision, expectedRevision != old.revision { return .revisionMismatch(old) }
            guard old.openCount == 0 else { return .notTerminal(open: old.openCount) }
            try transaction.change(name) { account in
                account.session.settings = SessionSettings()
                account.session.sealedAt = nil
                account.session.revision += 1
                account.isDeleted = true
            }
            try transaction.writeAccounts()
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
        // Settings may keep the id of a webhook that was deleted since.
        if let index = try unknown(settings.webhookIDs, but: old?.settings.webhookIDs ?? []) {
            return .unknownWebhook(at: index)
        }
        if let url = settings.callbackURL { try enableCallback(url, at: now) }
        guard var session = old else {
            try make(name, at: now)
            return .made(
                try changeSettings(name) { session in
                    session.settings = settings
                    session.sealedAt = seals ? now : nil
                }
            )
        }
        let isSealing = seals && !session.isSealed
        guard isSealing || session.settings != settings else { return .changed(session) }
        session = try changeSettings(name) { session in
            session.settings = settings
            session.revision += 1
            if isSealing { session.sealedAt = now }
        }
        // The new limit may allow more running downloads.
        notices.insert(.downloads)
        return .changed(session)
    }

    /// Creates a session, or restores a deleted one.
    private func make(_ name: SessionName, at now: Timestamp) throws {
        if try account(name) == nil {
            try insertAccount(name, at: now)
        } else {
            try change(name) { $0.restore(at: now) }
        }
    }

    /// Seals an existing session.
    func seal(_ name: SessionName, at now: Timestamp) throws {
        guard let session = try session(name), !session.isSealed else { return }
        _ = try changeSettings(name) { session in
            session.sealedAt = now
            session.revision += 1
        }
    }

    /// Writes the row at once: statements of the same transaction read settings of sessions.
    private func changeSettings(_ name: SessionName, _ body: (inout Session) -> Void) throws -> Session {
        let session = try change(name) { account in
            body(&account.session)
            return account.session
        }
        try writeAccounts()
        return session
    }
}
