import Core

@testable import API
@testable import Store

extension FuzzTarget {
    /// Rows of a damaged database, or of another version. The first byte chooses the table; then columns get values of
    /// the input in place of usual ones.
    static let storedRows = FuzzTarget(name: "stored-rows") { bytes in
        var input = InputReader(bytes)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        switch input.byte() % 8 {
        case 0: if let row = try read(EventRow.blank, &input) { try show(row.event) }
        case 1: if let row = try read(Download.blank, &input) { try show(row, now) }
        case 2: _ = try read(Webhook.blank, &input)
        case 3: _ = try read(Delivery.blank, &input)
        case 4: _ = try read(BulkOperation.blank, &input)
        case 5: _ = try read(SessionAccount.blank, &input)
        case 6: _ = try read(RequestRecord.blank, &input)
        default: _ = try read(DownloadRequest.blank, &input)
        }
    }

    private static func show(_ event: LoggedEvent) throws {
        guard (try? JSONValue(parsing: event.body)) != nil else { return }
        var writer = JSONWriter()
        event.write(to: &writer)
    }

    private static func show(_ download: Download, _ now: Timestamp) throws {
        _ = DownloadBody(download: download, fileAvailable: true).encoded()
        _ = download.request.labels?.labels
        _ = download.fileName(download.source)
        _ = download.request.retention?.expiry(finishedAt: now)
    }

    private static let connection = Result { try SQLiteConnection.openReader(path: ":memory:") }

    /// Reads a row of the values of `usual`, some of which the input replaces.
    ///
    /// - Returns: nil if the row is unreadable.
    private static func read<Row: RowValue>(_ usual: Row, _ input: inout InputReader) throws -> Row? {
        var writer = AllValues()
        var usual = usual
        usual.columns(&writer)
        var values = writer.list
        while !input.isAtEnd {
            let index = Int(input.byte()) % values.count
            values[index] = value(&input)
        }
        guard let row: Row = try read(values) else { return nil }
        // A text with U+0000 changes when it is written, and what is derived from it with the next time.
        let first = try rewritten(rewritten(row).row)
        try checkSame(first.values, rewritten(first.row).values, "a row that is written is read again")
        return row
    }

    private static func rewritten<Row: RowValue>(_ row: Row) throws -> (row: Row, values: [SQLValue]) {
        var (writer, written) = (AllValues(), row)
        written.columns(&writer)
        guard let row: Row = try read(writer.list) else {
            throw BrokenProperty(description: "a row that is written can be read: \(writer.list)")
        }
        return (row, writer.list)
    }

    private static func read<Row: RowValue>(_ values: [SQLValue]) throws -> Row? {
        let statement = Statement("SELECT \(values.map { _ in "?" }.joined(separator: ", "))", values)
        return try connection.get().read { database in
            do {
                return try database.first(statement) { try Row(&$0) }
            } catch let error as StoreError {
                guard case .unreadable = error else { throw error }
                return nil
            }
        }
    }

    private static func value(_ input: inout InputReader) -> SQLValue {
        switch input.byte() % 5 {
        case 0: .null
        case 1: .integer(Int64(Int8(bitPattern: input.byte())))
        case 2: .integer(input.integer())
        case 3: .text(String(decoding: input.bytes(), as: UTF8.self))
        default: .blob(input.bytes())
        }
    }
}

/// Collects all columns; those of a part that is nil are NULL.
private struct AllValues: RowCoder {
    private(set) var list: [SQLValue] = []
    private var isSkipping = false

    var isReading: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) {
        list.append(isSkipping ? .null : value.sqlValue)
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) {
        let wasSkipping = isSkipping
        isSkipping = isSkipping || part == nil
        var value = part ?? Part.blank
        value.columns(&self)
        isSkipping = wasSkipping
    }
}
