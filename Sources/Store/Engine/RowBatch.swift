/// A statement that writes rows one after the other: an INSERT, or an UPDATE of the same columns by key.
///
/// An engine for a server may collect the rows of a batch. It sends them together before the next statement that is not
/// of this batch, at the latest before the end of a savepoint or the commit. A key may occur twice: the later row is
/// written after the earlier one. SQLite executes each row at once. Each batch is made once and kept, since engines
/// keep what they have prepared for it.
final class RowBatch: Sendable {
    enum Kind: Sendable {
        /// Inserts rows. Without a conflict column a row with a used key is refused.
        case insertion
        /// Inserts rows, and replaces the other columns of rows that have the same key.
        case insertionOrUpdate
        /// Changes rows by their key. Each row must exist: otherwise the batch throws ``StoreError/refused(_:)``.
        case update
    }

    let kind: Kind
    let table: String
    /// The columns that are set, in the order in which their values are given.
    let columns: [String]
    /// The columns that identify a row. An UPDATE gets their values after those of ``columns``.
    let key: [String]
    /// The statement of one row.
    let sql: String

    private init(_ kind: Kind, _ table: String, _ columns: [String], key: [String], sql: String) {
        (self.kind, self.table, self.columns, self.key, self.sql) = (kind, table, columns, key, sql)
    }

    static func insertion(into table: String, _ columns: [String]) -> RowBatch {
        RowBatch(.insertion, table, columns, key: [], sql: insertion(table, columns))
    }

    /// - Parameter key: Those of the columns that a unique constraint has.
    static func insertionOrUpdate(of table: String, _ columns: [String], key: [String]) -> RowBatch {
        let changes = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
        let sql = "\(insertion(table, columns)) ON CONFLICT (\(key.columnList())) DO UPDATE SET \(changes.columnList())"
        return RowBatch(.insertionOrUpdate, table, columns, key: key, sql: sql)
    }

    static func update(of table: String, _ columns: [String], key: [String]) -> RowBatch {
        let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
        let sql = "UPDATE \(table) SET \(columns.assignments) WHERE \(condition)"
        return RowBatch(.update, table, columns, key: key, sql: sql)
    }

    private static func insertion(_ table: String, _ columns: [String]) -> String {
        "INSERT INTO \(table) (\(columns.columnList())) VALUES (\(columns.placeholders))"
    }
}
