import Core

/// A form in which a column holds a value. Every database has these four.
protocol StoredValue: Sendable {
    var sqlValue: SQLValue { get }

    /// The value of a column; nil for NULL.
    static func read(_ row: EngineRow, at index: Int) -> Self?
}

/// The row that a ``RowReader`` reads, by engine.
enum EngineRow {
    case sqlite(StatementHandle)
}

extension EngineRow {
    func isNull(at index: Int) -> Bool {
        switch self {
        case .sqlite(let row): row.isNull(at: index)
        }
    }

    func integer(at index: Int) -> Int64? {
        switch self {
        case .sqlite(let row): row.integer(at: index)
        }
    }

    func text(at index: Int) -> String? {
        switch self {
        case .sqlite(let row): row.text(at: index)
        }
    }

    func blob(at index: Int) -> [UInt8]? {
        switch self {
        case .sqlite(let row): row.blob(at: index)
        }
    }

    func value(at index: Int) -> SQLValue {
        switch self {
        case .sqlite(let row): row.value(at: index)
        }
    }
}

extension Int64: StoredValue {
    var sqlValue: SQLValue { .integer(self) }

    static func read(_ row: EngineRow, at index: Int) -> Int64? { row.integer(at: index) }
}

/// 0 or 1.
extension Bool: StoredValue {
    var sqlValue: SQLValue { .integer(self ? 1 : 0) }

    static func read(_ row: EngineRow, at index: Int) -> Bool? { row.integer(at: index).map { $0 != 0 } }
}

/// No database keeps U+0000 in every case: PostgreSQL refuses it, and functions of SQLite end a text there.
extension String: StoredValue {
    var sqlValue: SQLValue { .text(utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self) }

    static func read(_ row: EngineRow, at index: Int) -> String? { row.text(at: index) }
}

extension [UInt8]: StoredValue {
    var sqlValue: SQLValue { .blob(self) }

    static func read(_ row: EngineRow, at index: Int) -> [UInt8]? { row.blob(at: index) }
}
