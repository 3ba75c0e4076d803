import GRDB
import GRDBSQLite

/// A prepared statement. It must not be used after the statement of GRDB is gone.
@safe
struct StatementHandle {
    private let statement: OpaquePointer

    init(_ statement: GRDB.Statement) {
        unsafe self.statement = statement.sqliteStatement
    }

    var text: String { unsafe String(cString: sqlite3_sql(statement)) }

    var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(statement)) }

    /// Whether a caller is reading its rows.
    var isBusy: Bool { unsafe sqlite3_stmt_busy(statement) != 0 }

    /// - Returns: `SQLITE_ROW`, `SQLITE_DONE` or the code of an error.
    func step() -> CInt { unsafe sqlite3_step(statement) }

    /// Ends the statement, whose error was reported by ``step()``, and forgets its values.
    func reset() {
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
    }
}

/// The columns of the current row. They change with the next step.
extension StatementHandle {
    func isNull(at index: Int) -> Bool {
        unsafe sqlite3_column_type(statement, CInt(index)) == SQLITE_NULL
    }

    func integer(at index: Int) -> Int64? {
        isNull(at: index) ? nil : unsafe sqlite3_column_int64(statement, CInt(index))
    }

    func text(at index: Int) -> String? {
        guard let bytes = unsafe sqlite3_column_text(statement, CInt(index)) else {
            // Otherwise a value would be taken for a missing one, and later written as such.
            precondition(isNull(at: index), "SQLite has no memory for a text")
            return nil
        }
        let count = unsafe Int(sqlite3_column_bytes(statement, CInt(index)))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(at index: Int) -> [UInt8]? {
        guard !isNull(at: index) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(statement, CInt(index)))
        // An empty blob has no address.
        guard count > 0 else { return [] }
        guard let bytes = unsafe sqlite3_column_blob(statement, CInt(index)) else {
            preconditionFailure("SQLite has no memory for a blob")
        }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// The value in the form in which it is stored.
    func value(at index: Int) -> SQLValue {
        switch unsafe sqlite3_column_type(statement, CInt(index)) {
        case SQLITE_INTEGER: integer(at: index).map { .integer($0) } ?? .null
        case SQLITE_BLOB: blob(at: index).map { .blob($0) } ?? .null
        case SQLITE_NULL: .null
        default: text(at: index).map { .text($0) } ?? .null
        }
    }
}

/// The parameters, none of which may be set already.
extension StatementHandle {
    /// - Parameter index: The first is 1.
    /// - Returns: The result code of an error; nil if the value is bound.
    func bind(_ value: SQLValue, at index: Int) -> CInt? {
        let index = CInt(index)
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(statement, index)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
            case .text(let text): bind(text, at: index)
            case .blob(let bytes): bind(bytes, at: index)
            case .texts(let texts): bind(JSONList.text(texts), at: index)
            case .integers(let numbers): bind(JSONList.text(numbers), at: index)
            }
        return code == SQLITE_OK ? nil : code
    }

    private func bind(_ text: String, at index: CInt) -> CInt {
        // Without an address SQLite would bind NULL.
        guard !text.isEmpty else { return unsafe sqlite3_bind_text(statement, index, "", 0, copied) }
        var text = text
        return text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe sqlite3_bind_text(statement, index, characters.baseAddress, CInt(bytes.count), copied)
            }
        }
    }

    private func bind(_ bytes: [UInt8], at index: CInt) -> CInt {
        // Without an address SQLite would bind NULL.
        guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(statement, index, 0) }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob(statement, index, bytes.baseAddress, CInt(bytes.count), copied)
        }
    }
}

/// Tells SQLite to copy a value before the call returns (<https://www.sqlite.org/c3ref/c_static.html>).
private nonisolated(unsafe) let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
