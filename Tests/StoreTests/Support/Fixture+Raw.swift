import Core
import GRDB

extension Fixture {
    /// The single value of a query, through the second connection.
    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ sql: String,
        _ values: [(any DatabaseValueConvertible)?] = []
    ) throws -> Value? {
        try raw.read { try Value.fetchOne($0, sql: sql, arguments: StatementArguments(values)) }
    }

    func count(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws -> Int {
        try value("SELECT count(*) FROM \(sql)", values) ?? 0
    }

    func texts(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws -> [String] {
        try raw.read { try String.fetchAll($0, sql: sql, arguments: StatementArguments(values)) }
    }

    /// Runs SQL behind the store's back.
    func execute(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws {
        try raw.write { try $0.execute(sql: sql, arguments: StatementArguments(values)) }
    }

    /// Whether the schema takes the statement; what it did is undone.
    func accepts(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws -> Bool {
        var isTaken = false
        try raw.inDatabase { database in
            try database.inTransaction {
                do {
                    try database.execute(sql: sql, arguments: StatementArguments(values))
                    isTaken = true
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    isTaken = false
                }
                return .rollback
            }
        }
        return isTaken
    }

    /// The types of the events of a download, in their order.
    func events(of id: DownloadID) throws -> [String] {
        try texts("SELECT type FROM event WHERE download = ? ORDER BY seq", [id.text])
    }

    /// The whole row as SQLite shows it, to tell whether anything changed.
    func row(_ id: DownloadID) throws -> [DatabaseValue] {
        try raw.read { database in
            let row = try Row.fetchOne(database, sql: "SELECT * FROM download WHERE id = ?", arguments: [id.text])
            return row.map { Array($0.databaseValues) } ?? []
        }
    }
}
