/// Sets the parameters of a statement one by one, in their order.
///
/// An array of values would allocate for each of ninety columns. A nil column costs nothing: a parameter that is not
/// set is NULL.
struct RowWriter: RowCoder {
    /// Where the values go, by engine.
    enum Destination {
        case sqlite(StatementHandle)
    }

    private let destination: Destination
    private var index = 0
    /// The code of the first value that could not be set, for example because it is too large.
    private(set) var failure: CInt?
    /// Whether the columns belong to a part that is nil.
    private var isSkipping = false

    /// - Parameter destination: The parameters of a statement, none of which is set.
    init(_ destination: Destination) {
        self.destination = destination
    }

    var isReading: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) {
        if isSkipping { index += 1 } else { add(value) }
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) {
        let wasSkipping = isSkipping
        isSkipping = isSkipping || part == nil
        var value = part ?? Part.blank
        value.columns(&self)
        isSkipping = wasSkipping
    }

    /// Sets a value that is not a column, such as one in a condition.
    mutating func add<Value: ColumnValue>(_ value: Value) {
        index += 1
        guard let stored = value.stored else { return }
        switch destination {
        case .sqlite(let parameters): failure = failure ?? parameters.bind(stored.sqlValue, at: index)
        }
    }
}
