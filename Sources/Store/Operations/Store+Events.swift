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
    /// A query for the numbers of the events that pass, each of whose parts walks an index in the order of the numbers.
    /// SQLite merges the parts as it goes, so that none is walked further than the limit asks for.
    fileprivate func numbers(after sequence: Int64) -> (sql: String, values: [any DatabaseValueConvertible]) {
        let ofSession: [any DatabaseValueConvertible] = session.map { [$0.text] } ?? []
        if let download {
            let ofTypes = (types ?? []).map(\.rawValue)
            var sql = "SELECT seq FROM event WHERE download = ? AND seq > ?"
            if session != nil { sql += " AND session = ?" }
            if types != nil { sql += " AND type IN (\(ofTypes.map { _ in "?" }.joined(separator: ", ")))" }
            return (sql, [download.text, sequence] + ofSession + ofTypes)
        }
        guard session != nil || types != nil else { return ("SELECT seq FROM event WHERE seq > ?", [sequence]) }
        let words = (types ?? Set(EventType.allCases)).map(\.rawValue).sorted()
        guard !words.isEmpty else { return ("SELECT seq FROM event WHERE FALSE AND seq > ?", [sequence]) }
        let part = "SELECT seq FROM event WHERE \(session == nil ? "" : "session = ? AND ")type = ? AND seq > ?"
        return (
            words.map { _ in part }.joined(separator: " UNION ALL "),
            words.flatMap { word -> [any DatabaseValueConvertible] in ofSession + [word, sequence] }
        )
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
