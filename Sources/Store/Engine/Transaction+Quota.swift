import GRDB
import Model

/// What the downloads of a session hold together. It is kept in the session's row, with each write of a download that
/// changes it, so that nobody ever has to add it up.
extension Transaction {
    func accountBytes(of session: SessionName?, by change: Int64) throws {
        guard let session, change != 0 else { return }
        try execute("UPDATE session SET used_bytes = used_bytes + ? WHERE name = ?", [change, session.text])
    }

    /// - Throws: ``StoreError/quotaExceeded`` where a download would hold more than before, and its session has no room
    ///   for that.
    func requireRoom(from old: Download, to new: Download) throws {
        guard try database.hasRoom(for: old, toHold: new.heldBytes) else { throw StoreError.quotaExceeded }
    }
}
