import GRDB
import Model

extension Database {
    /// Whether a session has room for so many bytes more than its downloads hold. Where they hold no more than before,
    /// it always has: what is held is not taken away, whatever the limit has become.
    func hasRoom(_ session: SessionName?, for bytes: Int64) throws -> Bool {
        guard let session, bytes > 0 else { return true }
        let statement = try cachedStatement(
            sql: "SELECT 1 FROM session WHERE name = ? AND used_bytes > max_bytes - ?"
        )
        return try Int.fetchOne(statement, arguments: [session.text, bytes]) == nil
    }

    /// Whether what a download holds may become so many bytes.
    func hasRoom(for download: Download, toHold bytes: Int64) throws -> Bool {
        try hasRoom(download.request.session, for: bytes - download.heldBytes)
    }
}
