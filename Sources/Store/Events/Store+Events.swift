public import Core

extension Store {
    /// The maximum number of sequence numbers scanned for one page. A page of rare events ends there, whatever it has
    /// found, so that the connection is free for the next reader. The scan takes a few milliseconds.
    private static let longestWalk: Int64 = 20_000

    /// Events of the log, in order. Unreadable events are skipped.
    ///
    /// - Parameters:
    ///   - sequence: Only events after this number; nil for all.
    ///   - limit: The maximum number of events, at least 1.
    ///   - bytes: The page ends with the event that brings the size of the bodies to this value.
    /// - Returns: No events if some after `sequence` were purged (``EventWindow/holdsAll(after:)``). A short page does
    ///   not mean that no more follow: see ``EventPage/isAtEnd``.
    public func events(
        _ filter: EventFilter,
        after sequence: Int64?,
        limit: Int,
        bytes: Int = .max
    ) async throws -> EventPage {
        let (page, faults) = try await readers.readSnapshot { database in
            let window = try database.eventWindow()
            let begin = sequence ?? (window.oldest ?? 1) - 1
            guard window.holdsAll(after: begin) else {
                return (EventPage(window: window, events: [], last: begin), [UnreadableEvent]())
            }
            let end = filter.isWalked ? min(begin + Self.longestWalk, window.newest) : window.newest
            var reading = EventReading(limit: limit, bytes: bytes)
            try database.read(filter, after: begin, upTo: end, into: &reading)
            let last = reading.isFull ? reading.last ?? end : end
            return (EventPage(window: window, events: reading.events, last: last), reading.faults)
        }
        unreadableEvents.record(faults)
        return page
    }

    /// The range of events in the log.
    public func eventWindow() async throws -> EventWindow {
        try await readers.lookUp { try $0.eventWindow() }
    }
}

extension Database {
    fileprivate func eventWindow() throws -> EventWindow {
        let oldest = try first(Int64.self, "SELECT min(seq) FROM event")
        let newest = try first(Int64.self, "SELECT max(seq) FROM event")
        return EventWindow(oldest: oldest, newest: newest ?? 0)
    }

    fileprivate func read(
        _ filter: EventFilter,
        after sequence: Int64,
        upTo end: Int64,
        into reading: inout EventReading
    ) throws {
        guard !reading.isFull else { return }
        let (numbers, values) = filter.numbers(after: sequence, upTo: end)
        let sql = """
            SELECT \(EventRow.columnList) FROM event
            WHERE seq IN (\(numbers) ORDER BY seq LIMIT ?) ORDER BY seq
            """
        try rows(Statement(sql, values + [reading.limit])) { row in
            try reading.append(&row)
            return !reading.isFull
        }
    }
}

/// The page that is being read.
private struct EventReading {
    let limit: Int
    let bytes: Int
    private(set) var events: [LoggedEvent] = []
    private(set) var faults: [UnreadableEvent] = []
    /// The sequence number of the last row that was read.
    private(set) var last: Int64?
    private var size = 0

    init(limit: Int, bytes: Int) {
        (self.limit, self.bytes) = (limit, bytes)
    }

    var isFull: Bool { events.count + faults.count >= limit || size >= bytes }

    mutating func append(_ reader: inout RowReader) throws {
        var row = EventRow.blank
        // Read first, so that the number is known even if the rest of the row is unreadable.
        defer { last = row.sequence }
        do {
            try row.columns(&reader)
            events.append(row.event)
            size += row.body.bytes.count
        } catch .unreadable(let reason) {
            faults.append(UnreadableEvent(sequence: row.sequence, reason: reason))
        }
    }
}

extension EventFilter {
    /// A query for the numbers of matching events, in order, from an index.
    fileprivate func numbers(after sequence: Int64, upTo end: Int64) -> (sql: String, values: [any ParameterValue]) {
        var conditions = ["seq > ?", "seq <= ?"]
        var values: [any ParameterValue] = [sequence, end]
        if let download {
            conditions.append("download = ?")
            values.append(download)
        }
        if let session {
            conditions.append("session = ?")
            values.append(session)
        }
        if let types {
            conditions.append(types.isEmpty ? "FALSE" : "type IN (\(types.map { _ in "?" }.joined(separator: ", ")))")
            values += types.map(\.self)
        }
        return ("SELECT seq FROM event \(index) WHERE \(conditions.joined(separator: " AND "))", values)
    }

    /// The index is named, since SQLite would consider a scan of the table equally good.
    private var index: String {
        if download != nil { return "{index event_of_download}" }
        return isWalked ? "{index event_outline}" : ""
    }

    /// Whether the query may scan any number of events that do not match.
    fileprivate var isWalked: Bool { download == nil && (session != nil || types != nil) }
}
