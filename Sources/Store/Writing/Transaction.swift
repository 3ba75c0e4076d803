public import Core

/// One transaction of the writer, shared by the calls that are committed together.
///
/// It provides the writes that every operation consists of: a download's row, its session's totals, and the event with
/// its deliveries. They are committed together or not at all.
final class Transaction {
    let database: any Database
    let encode: EventEncoder
    var rows: WriterCache
    /// The notices to post after the commit.
    var notices: Notice = []
    /// The downloads whose revision changed, or that were deleted.
    var changedDownloads: Set<DownloadID> = []
    /// The changes of the kept totals, to be written before the commit.
    var totals = TotalsChanges()
    private var lastSequence: Int64?

    init(database: any Database, encode: @escaping EventEncoder, rows: WriterCache) {
        self.database = database
        self.encode = encode
        self.rows = rows
    }

    @discardableResult
    func execute(_ sql: String, _ values: [any ParameterValue] = []) throws -> Int {
        try database.execute(sql, values)
    }

    /// The next sequence number of an event. The number of a failed call is not used; readers must accept gaps.
    func nextSequence() throws -> Int64 {
        let last = try newestSequence()
        lastSequence = last + 1
        return last + 1
    }

    /// The sequence number of the newest event, 0 if there is none.
    func newestSequence() throws -> Int64 {
        // The newest event is never purged, so the numbers always increase.
        try lastSequence ?? database.first(Int64.self, "SELECT max(seq) FROM event") ?? 0
    }
}

/// The total bytes of a session's downloads. Each write of a download updates the total in the session's row, so that
/// it is never recomputed.
extension Transaction {
    func accountBytes(of session: SessionName?, by change: Int64) throws {
        guard let session, change != 0 else { return }
        try execute("UPDATE session SET used_bytes = used_bytes + ? WHERE name = ?", [change, session])
    }

    /// - Throws: ``StoreError/quotaExceeded`` if the download would grow beyond the byte limit of its session.
    func requireRoom(from old: Download, to new: Download) throws {
        guard try database.hasRoom(for: old, storing: new.heldBytes) else { throw StoreError.quotaExceeded }
    }
}

extension Database {
    /// Whether a session allows this many more bytes. Without additional bytes the result is true: a lowered limit
    /// removes no bytes.
    func hasRoom(_ session: SessionName?, for bytes: Int64) throws -> Bool {
        guard let session, bytes > 0 else { return true }
        return try !exists("SELECT 1 FROM session WHERE name = ? AND used_bytes > max_bytes - ?", [session, bytes])
    }

    /// Whether the session allows the download to store this many bytes.
    func hasRoom(for download: Download, storing bytes: Int64) throws -> Bool {
        try hasRoom(download.request.session, for: bytes - download.heldBytes)
    }
}

extension Store {
    /// Whether the session's byte limit allows a download to store `total` bytes. Nothing is reserved: other downloads
    /// may use the space before its first bytes are recorded.
    public func allowsSize(_ id: DownloadID, total: Int64) async throws -> Bool {
        // The session's total includes the download's bytes, so both must be read from one commit.
        try await readers.readSnapshot { database in
            guard let download = try database.download(id) else { return true }
            return try database.hasRoom(for: download, storing: total)
        }
    }
}
