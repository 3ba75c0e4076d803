/// Reads the columns of a row one by one, in the order of the SELECT.
///
/// Columns are read by position: the SELECT was generated from the same declaration. A lookup by name would search for
/// each of the ninety columns of a download.
struct RowReader: RowCoder {
    private let row: EngineRow
    private var index = 0
    /// Whether the columns belong to a part that is nil.
    private var isSkipping = false

    /// - Parameter row: Valid until the next step of its statement; the reader must not be used after it.
    init(_ row: EngineRow) {
        self.row = row
    }

    /// The same row from its first column on.
    var restarted: Self { Self(row) }

    var isReading: Bool { true }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) throws(StoreError) {
        if isSkipping {
            index += 1
        } else {
            value = try next(name)
        }
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) throws(StoreError) {
        let wasSkipping = isSkipping
        if row.isNull(at: index) { isSkipping = true }
        var value = Part.blank
        try value.columns(&self)
        part = isSkipping ? nil : value
        isSkipping = wasSkipping
    }

    /// The next column of a SELECT that was not generated from a declaration, such as a count.
    mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(StoreError) -> Value {
        try next(nil)
    }

    /// The next column as it is stored, whatever its form.
    mutating func nextValue() -> SQLValue {
        defer { index += 1 }
        return row.value(at: index)
    }

    private mutating func next<Value: ColumnValue>(_ name: String?) throws(StoreError) -> Value {
        let stored = Value.Stored.read(row, at: index)
        guard let value = Value(stored: stored) else {
            let text = stored.map { "'\($0)'" } ?? "NULL"
            throw .unreadable("\(text) in column \(name ?? "\(index)")")
        }
        index += 1
        return value
    }
}
