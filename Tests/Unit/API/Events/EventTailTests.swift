import Core
import Testing

@testable import API

@Suite struct EventTailTests {
    private static let id = DownloadID(at: Timestamp(milliseconds: 0))

    private static func entry(_ sequence: Int64, _ type: EventType = .downloadCreated) -> EventTail.Entry {
        let event = LoggedEvent(
            sequence: sequence,
            id: EventID(at: Timestamp(milliseconds: 0)),
            type: type,
            at: Timestamp(milliseconds: 0),
            download: id,
            session: nil,
            body: []
        )
        return EventTail.Entry(event: event, frame: [])
    }

    /// What is found, and up to where; nil for what has to be read from the store.
    private static func lookUp(
        _ tail: EventTail,
        after sequence: Int64,
        _ filter: EventFilter = EventFilter(),
        limit: Int = 10
    ) -> (found: [Int64], upTo: Int64)? {
        guard case .found(let entries, let last) = tail.lookUp(after: sequence, for: filter, limit: limit) else {
            return nil
        }
        return (entries.map(\.event.sequence), last)
    }

    @Test func theTailFindsAllFollowingEvents() throws {
        var tail = EventTail(after: 10)
        tail.append([11, 12, 15].map { Self.entry($0) }, upTo: 15)

        let all = try #require(Self.lookUp(tail, after: 10))
        #expect(all.found == [11, 12, 15] && all.upTo == 15)
        let rest = try #require(Self.lookUp(tail, after: 12))
        #expect(rest.found == [15] && rest.upTo == 15)
        let none = try #require(Self.lookUp(tail, after: 15))
        #expect(none.found.isEmpty && none.upTo == 15)
        let ahead = try #require(Self.lookUp(tail, after: 20))
        #expect(ahead.found.isEmpty && ahead.upTo == 20)
    }

    @Test func eventsBeforeTheTailAreReadFromTheLog() {
        #expect(Self.lookUp(EventTail(after: 10), after: 9) == nil)
    }

    @Test func aFilterPassesOverTheOthers() throws {
        var tail = EventTail(after: 0)
        tail.append([Self.entry(1), Self.entry(2, .downloadPaused), Self.entry(3)], upTo: 3)

        let pauses = try #require(Self.lookUp(tail, after: 0, EventFilter(types: [.downloadPaused])))
        #expect(pauses.found == [2] && pauses.upTo == 3)
    }

    @Test func aLookEndsWithItsLimit() throws {
        var tail = EventTail(after: 0)
        tail.append((1...5).map { Self.entry($0) }, upTo: 5)

        let first = try #require(Self.lookUp(tail, after: 0, limit: 2))
        #expect(first.found == [1, 2] && first.upTo == 2)
    }

    @Test func aLookEndsWithItsBytes() {
        var tail = EventTail(after: 0)
        let entries = (1...5).map { Self.entry($0) }
        tail.append(entries.map { EventTail.Entry(event: $0.event, frame: [UInt8](repeating: 0, count: 10)) }, upTo: 5)

        guard case .found(let found, let last) = tail.lookUp(after: 0, for: EventFilter(), limit: 9, bytes: 15) else {
            Issue.record("it is to be read")
            return
        }
        #expect(found.count == 2 && last == 2)
    }

    @Test func onlyTheNewestAreKept() throws {
        var tail = EventTail(after: 0)
        let count = Int64(EventTail.capacity) + 5
        for sequence in 1...count { tail.append([Self.entry(sequence)], upTo: sequence) }

        #expect(Self.lookUp(tail, after: 4) == nil)
        let retained = try #require(Self.lookUp(tail, after: 5, limit: .max))
        #expect(retained.found == Array(6...count))
    }
}
