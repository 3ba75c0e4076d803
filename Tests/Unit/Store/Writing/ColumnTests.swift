import Core
import HTTPFields
import Testing

@testable import Store

/// Each column is declared once. That it is read where it was written, and written where it changed, holds for all of
/// them, also for those to come.
@Suite struct ColumnTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aDownloadIsReadAsItWasWritten() throws {
        for download in [try Samples.download(1), try Samples.download(2), try Samples.smallDownload()] {
            #expect(try roundTrip(download) == download)
        }
    }

    /// The samples fill the columns of a request, so a property that no column has is the same in both.
    @Test func everyPropertyOfARequestHasAColumn() throws {
        let (one, other) = (try Samples.download(1).request, try Samples.download(2).request)

        #expect(equalProperties(one, other) == [])
    }

    /// The names of the properties that are equal, those of structures that have several columns among them.
    private func equalProperties(_ one: Any, _ other: Any) -> [String] {
        zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children).flatMap { own, others -> [String] in
            let isPart = Mirror(reflecting: own.value).displayStyle == .struct && !(own.value is any ColumnValue)
            if isPart { return equalProperties(own.value, others.value) }
            return own.value as? AnyHashable == others.value as? AnyHashable ? [own.label ?? ""] : []
        }
    }

    @Test func theOtherRowsAreReadAsTheyWereWritten() throws {
        try roundTrip([Samples.webhook(), Webhook.blank])
        try roundTrip([Samples.sessionAccount(), SessionAccount.blank])
        try roundTrip([Samples.requestRecord(), RequestRecord.blank])
        try roundTrip([Samples.deliveryAttempt(), LoggedDeliveryAttempt.blank])
        try roundTrip([Samples.delivery()])
        try roundTrip([WebhookSummary.blank])
        try roundTrip([BulkOperation.blank])
    }

    @Test func aChangedColumnIsWrittenWithItsPart() throws {
        let (old, other) = (try Samples.download(1), try Samples.download(2))
        for part in DownloadPart.all {
            var names = ColumnNames()
            var blank = Download.blank
            blank.columns(of: part, &names)
            // The authority follows from the host and the port, and the key of the name from other parts. A row has
            // only one of `expires_at` and `keep_file_seconds`.
            for name in names.list where !["authority", "name_key", "keep_file_seconds"].contains(name) {
                let changed = try old.taking(name, of: other)
                let parts = DownloadPart.all.filter { changed.isChanged($0, since: old) && $0 != .name }
                #expect(parts == [part], "\(name)")
                let isSource = [
                    "filename", "url", "scheme", "host", "port", "path", "suggested_name", "file_path", "kept_path",
                ].contains(name)
                #expect(!changed.isChanged(.name, since: old) || isSource, "\(name)")
            }
        }
    }

    @Test(arguments: ["filename", "url", "suggested_name", "file_path"])
    func aNameIsWrittenWhereWhatItFollowsFromChanges(_ column: String) throws {
        var (old, other) = (try Samples.download(1), try Samples.download(2))
        // What comes before the column in the choice of the name.
        (old.keptFile, other.keptFile) = (nil, nil)
        if column != "file_path" { old.file = nil }
        if column != "filename" { old.request.filename = nil }
        if column == "url" { old.source.suggestedName = nil }

        #expect(try old.taking(column, of: other).isChanged(.name, since: old))
    }

    @Test func noColumnIsDeclaredTwice() {
        let lists = [
            Download.columnNames(), Webhook.columnNames(), SessionAccount.columnNames(), RequestRecord.columnNames(),
            LoggedDeliveryAttempt.columnNames(), EventRow.columnNames(), NewDelivery.columnNames(),
            BulkOperation.columnNames(), DownloadTotals.columnNames(),
        ]
        for names in lists { #expect(Set(names).count == names.count) }
    }

    @Test func anUnreadableColumnIsNamed() {
        #expect(throws: StoreError.unreadable("'later' in column decision")) {
            try fixture.window.read { try $0.first("SELECT 'later', NULL") { try RequestRecord.Decision(&$0) } }
        }
    }

    @Test func aTextKeepsEachCharacterButTheNull() throws {
        let texts = ["", "a", "ä\u{301}", "\u{1F600}", "a\nb\t'\"\\", "a\0b", "\0"]
        let read = try texts.map { text in
            try fixture.window.read { try $0.first(String.self, "SELECT ?", [text]) }
        }

        #expect(read == ["", "a", "ä\u{301}", "\u{1F600}", "a\nb\t'\"\\", "a\u{FFFD}b", "\u{FFFD}"])
    }

    @Test func emptyAndBinaryBytesAreReadAsTheyWereWritten() throws {
        for bytes in [[], [0], [255, 0, 1]] as [[UInt8]] {
            #expect(try fixture.window.read { try $0.first(Blob.self, "SELECT ?", [Blob(bytes)]) }?.bytes == bytes)
        }
    }

    private func roundTrip<Value: RowValue & Equatable>(_ values: [Value]) throws {
        for value in values { #expect(try roundTrip(value) == value) }
    }

    /// Reads what is written of a value, from a table with a column without a type for each of its columns.
    private func roundTrip<Value: RowValue>(_ value: Value) throws -> Value? {
        var read: Value?
        try fixture.window.write { database in
            let columns = Value.columnNames().indices.map { "c\($0)" }
            try database.execute("CREATE TABLE written (\(columns.joined(separator: ", ")))")
            try database.write(RowBatch.insertion(into: "written", columns)) { value.write(to: &$0) }
            read = try database.first("SELECT \(columns.columnList()) FROM written") { try Value(&$0) }
            return false
        }
        return read
    }
}

extension RowValue {
    /// The same value, but for one column, which is that of another.
    fileprivate func taking(_ name: String, of other: Self) throws -> Self {
        var (own, others) = (StoredColumns(), StoredColumns())
        var (value, other) = (self, other)
        value.columns(&own)
        other.columns(&others)
        var source = ColumnSource(values: own.values)
        source.values[name] = others.values[name]
        var changed = Self.blank
        try changed.columns(&source)
        return changed
    }
}

/// Keeps what would be stored in each column.
private struct StoredColumns: RowCoder {
    var values: [String: any StoredValue] = [:]

    var isReading: Bool { false }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) {
        values[name] = value.stored
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) {
        part?.columns(&self)
    }
}

/// Reads from what is stored in each column. A part without a column is not there.
private struct ColumnSource: RowCoder {
    var values: [String: any StoredValue]

    var isReading: Bool { true }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) throws {
        value = try #require(Value(stored: values[name] as? Value.Stored), "\(name)")
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) throws {
        var (names, value) = (ColumnNames(), Part.blank)
        value.columns(&names)
        guard names.list.contains(where: { values[$0] != nil }) else {
            part = nil
            return
        }
        try value.columns(&self)
        part = value
    }
}
