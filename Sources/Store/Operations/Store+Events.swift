import Foundation
import GRDB
public import Model

extension Store {
    /// Events of the log, in their order.
    ///
    /// - Parameters:
    ///   - sequence: Those after this number; nil for all that are kept.
    ///   - limit: At most so many; at least 1.
    /// - Returns: No event where some after `sequence` are not kept (``EventWindow/holdsAll(after:)``).
    public func events(_ filter: EventFilter, after sequence: Int64?, limit: Int) async throws -> EventPage {
        try await readers.readSnapshot { database in
            let window = try database.eventWindow()
            let begin = sequence ?? (window.oldest ?? 1) - 1
            guard window.holdsAll(after: begin) else { return EventPage(window: window, events: [], last: begin) }
            let events = try database.events(filter, after: begin, limit: limit)
            let last = events.count < limit ? window.newest : events.last?.sequence
            return EventPage(window: window, events: events, last: last ?? window.newest)
        }
    }

    /// Which events are kept now.
    public func eventWindow() async throws -> EventWindow {
        try await readers.lookUp { try $0.eventWindow() }
    }
}

extension Database {
    fileprivate func eventWindow() throws -> EventWindow {
        let oldest = try Int64.fetchOne(cachedStatement(sql: "SELECT min(seq) FROM event"))
        let newest = try Int64.fetchOne(cachedStatement(sql: "SELECT max(seq) FROM event"))
        return EventWindow(oldest: oldest, newest: newest ?? 0)
    }

    fileprivate func events(_ filter: EventFilter, after sequence: Int64, limit: Int) throws -> [LoggedEvent] {
        let (numbers, values) = filter.numbers(after: sequence)
        let statement = try cachedStatement(
            sql: """
                SELECT seq, id, type, at, download, session, body FROM event
                WHERE seq IN (\(numbers) ORDER BY seq LIMIT ?) ORDER BY seq
                """
        )
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(values + [limit]))
        var events: [LoggedEvent] = []
        while let row = try rows.next() { events.append(try LoggedEvent(row)) }
        return events
    }
}

extension EventFilter {
    /// A query for the numbers of the events that pass, in an index that is in their order.
    fileprivate func numbers(after sequence: Int64) -> (sql: String, values: [any DatabaseValueConvertible]) {
        var conditions = ["seq > ?"]
        var values: [any DatabaseValueConvertible] = [sequence]
        if let download {
            conditions.append("download = ?")
            values.append(download.text)
        }
        if let session {
            conditions.append("session = ?")
            values.append(session.text)
        }
        if let types {
            conditions.append(types.isEmpty ? "FALSE" : "type IN (\(types.map { _ in "?" }.joined(separator: ", ")))")
            values += types.map(\.rawValue)
        }
        return ("SELECT seq FROM event \(index) WHERE \(conditions.joined(separator: " AND "))", values)
    }

    /// Named, since SQLite would take the table for as good.
    private var index: String {
        if download != nil { return "INDEXED BY event_of_download" }
        return session == nil && types == nil ? "" : "INDEXED BY event_outline"
    }
}

extension LoggedEvent {
    fileprivate init(_ row: Row) throws {
        var reader = RowReader(row)
        let sequence: Int64 = try reader.next()
        let (id, type, at): (EventID, EventType, Timestamp) = (try reader.id(), try reader.word(), try reader.time())
        let download: String? = reader.optional()
        let session: String? = reader.optional()
        let body: Data = try reader.next()
        self.init(
            sequence: sequence,
            id: id,
            type: type,
            at: at,
            download: download.flatMap { DownloadID($0) },
            session: session.flatMap { SessionName($0) },
            body: [UInt8](body)
        )
    }
}
