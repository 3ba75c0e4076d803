import Core

// MARK: - Accounts

extension Transaction {
    /// The account of a session, also of a deleted one; nil if there never was one.
    func account(_ name: SessionName) throws -> SessionAccount? {
        if let known = rows.accounts[name] { return known }
        guard let read = try database.account(name) else { return nil }
        rows.accounts.add(read)
        return read
    }

    /// A session; nil if it does not exist or is deleted.
    func session(_ name: SessionName) throws -> Session? {
        guard let account = try account(name), !account.isDeleted else { return nil }
        return account.session
    }

    /// Changes the account of a session that has a row.
    @discardableResult
    func change<Value>(_ name: SessionName, _ change: (inout SessionAccount) -> Value) throws -> Value {
        _ = try account(name)
        guard let value = rows.accounts.change(name, change) else { throw StoreError.refused("no session \(name)") }
        return value
    }

    /// Inserts the row of a new session. Downloads refer to it, so it cannot wait until the commit.
    func insertAccount(_ name: SessionName, at now: Timestamp) throws {
        let account = SessionAccount(name, at: now)
        try database.write(SessionAccount.insertion) { account.write(to: &$0) }
        rows.accounts.add(account)
    }

    /// Writes the changed accounts.
    func writeAccounts() throws {
        for (old, new) in rows.accounts.removeChanges() {
            try database.write(SessionAccount.update) { writer in
                var account = new
                account.downloadColumns(&writer)
                writer.add(new.session.name)
            }
            guard
                old.session.revision != new.session.revision || old.session.settings != new.session.settings
                    || old.session.sealedAt != new.session.sealedAt
            else { continue }
            try database.write(SessionAccount.settingsUpdate) { writer in
                var session = new.session
                session.changingColumns(&writer)
                writer.add(session.name)
            }
        }
    }
}

// MARK: - The quota

extension Transaction {
    func accountBytes(of session: SessionName?, by change: Int64) throws {
        guard let session, change != 0 else { return }
        try self.change(session) { $0.session.usedBytes += change }
    }

    /// Whether a session allows this many more bytes.
    func hasRoom(_ session: SessionName?, for bytes: Int64) throws -> Bool {
        guard let session, bytes > 0 else { return true }
        return try account(session)?.hasRoom(for: bytes) ?? true
    }

    /// Whether the session allows the download to store this many bytes.
    func hasRoom(for download: Download, storing bytes: Int64) throws -> Bool {
        try hasRoom(download.request.session, for: bytes - download.heldBytes)
    }

    /// - Throws: ``StoreError/quotaExceeded`` if the download would grow beyond the byte limit of its session.
    func requireRoom(from old: Download, to new: Download) throws {
        guard try hasRoom(for: old, storing: new.heldBytes) else { throw StoreError.quotaExceeded }
    }
}

// MARK: - Open downloads

extension Transaction {
    /// Counts an open download. Creates the session on first use.
    ///
    /// - Parameter isNew: Whether the download is new. A sealed session refuses it; a retried download belongs to the
    ///   session already.
    /// - Returns: The epoch that the download belongs to; nil if the session is sealed.
    func openSession(_ name: SessionName, isNew: Bool, at now: Timestamp) throws -> Int64? {
        if let account = try account(name) {
            if isNew && account.session.isSealed { return nil }
        } else {
            try insertAccount(name, at: now)
        }
        return try change(name) { $0.open(at: now) }
    }

    /// Counts a download that has ended or left the session. The last one finishes the session, which is recorded as
    /// an event.
    ///
    /// - Parameter sequence: The sequence number of the event that ended the download.
    func closeSession(_ name: SessionName, after sequence: Int64, at now: Timestamp) throws {
        guard var finished = try change(name, { $0.close(at: now) }) else { return }
        finished.lastSequence = sequence
        if finished.counts[.failed] ?? 0 > 0 { finished.failed = try failed(in: finished.epoch, of: name) }
        try record(finished, at: now)
    }

    /// The first hundred failed downloads of an epoch, in the order of their ids. The rows are read in the order of the
    /// index, so the time does not depend on their number.
    private func failed(in epoch: Int64, of name: SessionName) throws -> [DownloadID] {
        try database.all(
            String.self,
            """
            SELECT id FROM download {index download_failed_by_epoch}
            WHERE session = ? AND session_epoch = ? AND state = 'failed' ORDER BY row LIMIT 100
            """,
            [name, epoch]
        ).sorted().compactMap { DownloadID($0) }
    }

    /// Whether a session accepts no new download.
    func isSealed(_ name: SessionName) throws -> Bool { try account(name)?.session.isSealed ?? false }

    /// Moves the row of an open download to its new session, and counts it there. The caller has checked that the
    /// session is not sealed.
    ///
    /// - Parameter session: nil if it is in no session any more.
    func enterSession(_ session: SessionName?, _ new: Download, from old: Download, at now: Timestamp) throws {
        guard !old.state.isTerminal, !new.state.isTerminal else {
            throw StoreError.refused("\(new.id) has ended and changes its session")
        }
        var epoch: Int64?
        if let session {
            epoch = try openSession(session, isNew: true, at: now)
            if epoch == nil { throw StoreError.refused("session \(session) is sealed") }
        }
        try execute("UPDATE download SET session = ?, session_epoch = ? WHERE id = ?", [session, epoch, new.id])
    }

    /// Counts a change of a download for the epoch of its session, once its row is written.
    func countEnded(from old: Download, to new: Download) throws {
        guard let session = new.request.session, old.state.isTerminal || new.state.isTerminal,
            old.state != new.state || old.progress.durableBytes != new.progress.durableBytes
        else { return }
        // An open download always belongs to the current epoch, an ended one perhaps to an earlier one.
        let wasCounted = try old.state.isTerminal && epoch(of: new.id) == account(session)?.session.epoch
        guard wasCounted || !old.state.isTerminal else { return }
        try change(session) { $0.countEnded(from: wasCounted ? old : nil, to: new.state.isTerminal ? new : nil) }
    }

    private func epoch(of id: DownloadID) throws -> Int64? {
        try database.first(Int64.self, "SELECT session_epoch FROM download WHERE id = ?", [id])
    }
}
