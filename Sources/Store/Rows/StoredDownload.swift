import GRDB
import Model

/// A download as GRDB's quickest path reads it: straight from the statement, from its first column on.
///
/// A `Row` would make an index of ninety column names for each download, which takes longer than reading it.
struct StoredDownload: DatabaseValueConvertible, StatementColumnConvertible {
    let download: Result<Download, UnreadableDownload>

    init(sqliteStatement: SQLiteStatement, index: CInt) {
        do {
            var reader = unsafe RowReader(sqliteStatement)
            download = .success(try Download(&reader))
        } catch {
            var reader = unsafe RowReader(sqliteStatement)
            download = .failure(UnreadableDownload(id: reader.optional() ?? "", reason: "\(error)"))
        }
    }

    /// It is read, never bound.
    var databaseValue: DatabaseValue { .null }

    /// It is more than one value.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> StoredDownload? { nil }
}
