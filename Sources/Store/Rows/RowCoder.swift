import GRDB

/// A value that is a row of a table, or a part of one.
///
/// ``columns(_:)`` declares each column once: its name, and the member that it is read into and written from. The lists
/// of INSERT, UPDATE and SELECT are made from it, so no list has to be kept in step with another
/// (docs/decisions/0036).
protocol RowValue {
    /// What a row is read into.
    static var blank: Self { get }

    /// Passes every column to `row`, always in the same order. The compiler makes one copy of it for each coder: what
    /// reads a row is as straight as a list of reads written by hand.
    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure)
}

/// What goes through the columns of a value: it names them, reads them or writes them.
protocol RowCoder {
    associatedtype Failure: Error

    /// Whether the members take what is stored. Only then is a value put together anew.
    var isReading: Bool { get }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) throws(Failure)

    /// A part that may be missing: then all of its columns are NULL. Its first column is never NULL in one that is
    /// there.
    mutating func optional<Part: RowValue>(_ part: inout Part?) throws(Failure)
}

extension RowValue {
    /// The names of its columns in their order.
    static func columnNames() -> [String] {
        var names = ColumnNames()
        var blank = Self.blank
        blank.columns(&names)
        return names.list
    }

    init(_ reader: inout RowReader) throws(StoreError) {
        self = Self.blank
        try columns(&reader)
    }

    consuming func write(to writer: inout RowWriter) {
        columns(&writer)
    }
}

/// Collects the names of columns.
struct ColumnNames: RowCoder {
    private(set) var list: [String] = []

    var isReading: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) {
        list.append(name)
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) {
        var blank = Part.blank
        blank.columns(&self)
    }
}

/// Collects what would be stored, so that two values can be compared by it.
struct StoredValues: RowCoder {
    private(set) var list: [DatabaseValue] = []

    init() { list.reserveCapacity(24) }

    var isReading: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) {
        list.append(value.stored?.databaseValue ?? .null)
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) {
        if part == nil { list.append(.null) }
        part?.columns(&self)
    }
}

extension [String] {
    /// For SELECT and INSERT.
    ///
    /// - Parameter table: Is named before each, where a statement reads several tables.
    func columnList(of table: String? = nil) -> String {
        map { name in table.map { "\($0).\(name)" } ?? name }.joined(separator: ", ")
    }

    /// For VALUES.
    var placeholders: String { map { _ in "?" }.joined(separator: ", ") }

    /// For SET.
    var assignments: String { map { "\($0) = ?" }.joined(separator: ", ") }

    /// The statement that takes all of them.
    func insertion(into table: String) -> String {
        "INSERT INTO \(table) (\(columnList())) VALUES (\(placeholders))"
    }
}

extension Database {
    /// Reads every row of a SELECT of the columns of `Value`.
    func values<Value: RowValue>(
        _ type: Value.Type = Value.self,
        _ sql: String,
        _ arguments: [(any DatabaseValueConvertible)?] = []
    ) throws -> [Value] {
        let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: StatementArguments(arguments))
        var values: [Value] = []
        while let row = try cursor.next() {
            var reader = RowReader(row)
            values.append(try Value(&reader))
        }
        return values
    }
}
