import GRDB
import Model

/// One transaction of the writer, shared by the calls that are committed together.
///
/// Here stand the few writes that every operation is made of: a download's row, its session's account,
/// and the event with its deliveries. They go together or not at all.
final class Transaction {
    let database: Database
    let encode: EventEncoder
    var rows: WrittenRows
    /// What the commit is to wake.
    var notices: Notice = []
    /// The downloads that have another revision, or are gone.
    var changedDownloads: Set<DownloadID> = []
    private var lastSequence: Int64?

    init(database: Database, encode: @escaping EventEncoder, rows: WrittenRows) {
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
        // The newest event is never purged, so this grows for ever.
        let last = try lastSequence ?? Int64.fetchOne(database.cachedStatement(sql: "SELECT max(seq) FROM event")) ?? 0
        lastSequence = last + 1
        return last + 1
    }
}
