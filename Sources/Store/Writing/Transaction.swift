import Core

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
    /// Downloads that were read for the whole group. Each is used once, before its first change in this transaction.
    private var loaded: [DownloadID: Download] = [:]
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

    /// Reads the rows of several downloads at once, except those that are cached.
    func load(_ ids: [DownloadID]) throws {
        let missing = Set(ids.filter { rows.download($0) == nil })
        // One row is read as fast by the call itself.
        guard missing.count > 1 else { return }
        for download in try database.readableDownloads(missing) { loaded[download.id] = download }
    }

    /// Removes a download that ``load(_:)`` has read.
    func takeLoaded(_ id: DownloadID) -> Download? { loaded.removeValue(forKey: id) }

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
