public import Core

extension Store {
    /// A session with the totals of its downloads, from one snapshot; nil if it does not exist.
    public func session(_ name: SessionName) async throws -> SessionSummary? {
        try await readers.read { try $0.accounts("WHERE name = ? AND deleted = 0", [name]).first?.summary }
    }

    /// Sessions by name; only those after `name` if it is given.
    public func sessions(after name: SessionName?, limit: Int) async throws -> [SessionSummary] {
        try await readers.read { database in
            try database
                .accounts("WHERE name > ? AND deleted = 0 ORDER BY name LIMIT ?", [name?.text ?? "", limit])
                .map(\.summary)
        }
    }

    /// Whether the session's byte limit allows a download to store `total` bytes. Nothing is reserved: other downloads
    /// may use the space before its first bytes are recorded.
    public func allowsSize(_ id: DownloadID, total: Int64) async throws -> Bool {
        // The session's total includes the download's bytes, so both must be read from one commit.
        try await readers.readSnapshot { database in
            guard let download = try database.download(id), let session = download.request.session,
                let account = try database.account(session)
            else { return true }
            return account.hasRoom(for: total - download.heldBytes)
        }
    }
}

extension Database {
    /// The account of a session, also of a deleted one; nil if there never was one.
    func account(_ name: SessionName) throws -> SessionAccount? {
        try accounts("WHERE name = ?", [name]).first
    }

    fileprivate func accounts(_ clause: String, _ values: [any ParameterValue]) throws -> [SessionAccount] {
        try self.values(SessionAccount.self, "SELECT \(SessionAccount.columnList) FROM session \(clause)", values)
    }
}

extension SessionAccount {
    fileprivate var summary: SessionSummary {
        SessionSummary(
            session: session,
            counts: totals.counts,
            receivedBytes: totals.receivedBytes,
            totalBytes: totals.totalBytes
        )
    }
}
