public import Core
import GRDB

/// One transaction of the writer, shared by the calls that are committed together.
///
/// It has the writes that every operation consists of: a download's row, its session's totals, and the event with its
/// deliveries. They are committed together or not at all.
final class Transaction {
    let database: Database
    let encode: EventEncoder
    var rows: WriterCache
    /// The notices to post after the commit.
    var notices: Notice = []
    /// The downloads that have another revision, or are gone.
    var changedDownloads: Set<DownloadID> = []
    /// What is to be added to the kept totals before the commit.
    var totals = TotalsChanges()
    private var lastSequence: Int64?

    init(database: Database, encode: @escaping EventEncoder, rows: WriterCache) {
        self.database = database
        self.encode = encode
        self.rows = rows
    }

    func execute(_ sql: String, _ values: [(any DatabaseValueConvertible)?]) throws {
        let statement = try database.cachedStatement(sql: sql)
        try statement.execute(arguments: StatementArguments(values))
    }

    /// The same, for a row that ``RowWriter`` writes.
    func execute(_ sql: String, _ write: (inout RowWriter) -> Void) throws {
        let statement = try database.cachedStatement(sql: sql)
        var writer = RowWriter(statement)
        write(&writer)
        try writer.finish()
        try statement.execute()
    }

    /// The next number in the order of events. A number whose call fails is never used: gaps mean nothing.
    func nextSequence() throws -> Int64 {
        // The newest event is never purged, so numbers always grow.
        let last = try lastSequence ?? Int64.fetchOne(database.cachedStatement(sql: "SELECT max(seq) FROM event")) ?? 0
        lastSequence = last + 1
        return last + 1
    }
}

/// The bytes that the downloads of a session hold together. Each write of a download updates the sum in the session's
/// row, so that it is never recomputed.
extension Transaction {
    func accountBytes(of session: SessionName?, by change: Int64) throws {
        guard let session, change != 0 else { return }
        try execute("UPDATE session SET used_bytes = used_bytes + ? WHERE name = ?", [change, session.text])
    }

    /// - Throws: ``StoreError/quotaExceeded`` where a download would hold more than before, and its session has no room
    ///   for that.
    func requireRoom(from old: Download, to new: Download) throws {
        guard try database.hasRoom(for: old, storing: new.heldBytes) else { throw StoreError.quotaExceeded }
    }
}

extension Database {
    /// Whether a session has room for this many more bytes. Without more bytes it always has: a lower limit takes no
    /// bytes away.
    func hasRoom(_ session: SessionName?, for bytes: Int64) throws -> Bool {
        guard let session, bytes > 0 else { return true }
        let statement = try cachedStatement(
            sql: "SELECT 1 FROM session WHERE name = ? AND used_bytes > max_bytes - ?"
        )
        return try Int.fetchOne(statement, arguments: [session.text, bytes]) == nil
    }

    /// Whether the session has room for this many bytes of a download.
    func hasRoom(for download: Download, storing bytes: Int64) throws -> Bool {
        try hasRoom(download.request.session, for: bytes - download.heldBytes)
    }
}

extension Store {
    /// Whether a download may come to hold `total` bytes, as far as the limit of its session goes. Nothing is promised:
    /// others may take the room before the first of its bytes is recorded.
    public func allowsSize(_ id: DownloadID, total: Int64) async throws -> Bool {
        // What the download holds is part of what its session does: both are of one commit.
        try await readers.readSnapshot { database in
            guard let download = try database.download(id) else { return true }
            return try database.hasRoom(for: download, storing: total)
        }
    }
}
