import GRDB
import Model

/// What the downloads of a session hold together. It is kept in the session's row, with each write of a download that
/// changes it, so that nobody ever has to add it up.
extension Transaction {
    func accountBytes(of session: SessionName?, by change: Int64) throws {
        guard let session, change != 0 else { return }
        try execute("UPDATE session SET used_bytes = used_bytes + ? WHERE name = ?", [change, session.text])
    }

    /// Whether a session has room for so many bytes more.
    func hasRoom(_ session: SessionName?, for bytes: Int64) throws -> Bool {
        guard let session, bytes > 0 else { return true }
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM session WHERE name = ? AND used_bytes > max_bytes - ?"
        )
        return try Int.fetchOne(statement, arguments: [session.text, bytes]) == nil
    }

    /// - Throws: ``QuotaExceeded`` where a download would hold more than before, and its session has no room
    ///   for that. What it holds already is not taken away, whatever the limit has become.
    func requireRoom(from old: Download, to new: Download) throws {
        guard try hasRoom(new.request.session, for: new.heldBytes - old.heldBytes) else {
            throw QuotaExceeded()
        }
    }
}
