import GRDBSQLite
import StoreSupport

/// A second connection to a store's database, which looks behind the store.
///
/// It calls SQLite itself: the same few queries are asked after thousands of steps, so each is prepared once.
final class InspectedDatabase: QuerySource {
    private let connection: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(path: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(description: "the database cannot be opened: SQLite error \(code)")
        }
        connection = opened
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    func rows(_ query: String, columns: Int) throws -> [[String?]] {
        let statement = try statement(query)
        defer { sqlite3_reset(statement) }
        var rows: [[String?]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<columns).map { Self.text(of: statement, at: CInt($0)) })
            case SQLITE_DONE: return rows
            default: throw failure(of: query)
            }
        }
    }

    private func statement(_ query: String) throws -> OpaquePointer {
        if let known = statements[query] { return known }
        var made: OpaquePointer?
        let flags = CUnsignedInt(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(connection, query, -1, flags, &made, nil) == SQLITE_OK, let made else {
            throw failure(of: query)
        }
        statements[query] = made
        return made
    }

    private func failure(of query: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(connection))): \(query)")
    }

    private static func text(of statement: OpaquePointer, at column: CInt) -> String? {
        guard let bytes = sqlite3_column_blob(statement, column) else {
            return sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : ""
        }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
