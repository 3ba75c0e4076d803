/// A value that is a row of a table, or a part of one.
///
/// ``columns(_:)`` declares each column once: its name, and the property that it is read into and written from. The
/// column lists of INSERT, UPDATE and SELECT are generated from it, so they always agree (docs/decisions/0036).
protocol RowValue {
    /// A placeholder value that a row is read into.
    static var blank: Self { get }

    /// Passes every column to `row`, always in the same order. The compiler specializes it for each coder, so it is as
    /// fast as code written by hand.
    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure)
}

/// Visits the columns of a value: names, reads or writes them.
protocol RowCoder {
    associatedtype Failure: Error

    /// Whether this coder reads. Only then must members that are built from several columns be rebuilt.
    var isReading: Bool { get }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) throws(Failure)

    /// Visits an optional part. If it is nil, all its columns are NULL; otherwise its first column is never NULL.
    mutating func optional<Part: RowValue>(_ part: inout Part?) throws(Failure)
}

extension RowValue {
    /// The names of its columns, in order.
    static func columnNames() -> [String] { columnNames { $0.columns(&$1) } }

    /// The names of some of its columns, in order.
    ///
    /// - Parameter visit: Visits them.
    static func columnNames(_ visit: (inout Self, inout ColumnNames) -> Void) -> [String] {
        var names = ColumnNames()
        var blank = Self.blank
        visit(&blank, &names)
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

/// Collects the stored values, to compare two values by them.
struct StoredValues: RowCoder {
    private(set) var list: [SQLValue] = []

    init() { list.reserveCapacity(24) }

    var isReading: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) {
        list.append(value.sqlValue)
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) {
        if part == nil { list.append(.null) }
        part?.columns(&self)
    }
}

extension [String] {
    /// The list for SELECT and INSERT.
    ///
    /// - Parameter table: The table name to put before each column, for a statement that reads several tables.
    func columnList(of table: String? = nil) -> String {
        map { name in table.map { "\($0).\(name)" } ?? name }.joined(separator: ", ")
    }

    /// The list for VALUES.
    var placeholders: String { map { _ in "?" }.joined(separator: ", ") }

    /// The list for SET.
    var assignments: String { map { "\($0) = ?" }.joined(separator: ", ") }
}
