import Core
import Store
import StoreSupport
import Synchronization
import Testing

/// Reading the log of events.
@Suite struct EventTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func numbers(
        _ filter: EventFilter = EventFilter(),
        after: Int64? = nil,
        limit: Int = 100
    ) async throws -> [Int64] {
        try await fixture.store.events(filter, after: after, limit: limit).events.map(\.sequence)
    }

    /// Events 1 to 5: two downloads are made, the second of a session; that one is cancelled, which ends the session;
    /// the first is paused.
    private func happen() async throws -> (alone: DownloadID, member: DownloadID, session: SessionName) {
        let alone = try await fixture.make().id
        let member = try await fixture.make(session: "s").id
        try await fixture.done(member, .cancel)
        try await fixture.done(alone, .pause)
        return (alone, member, try #require(SessionName("s")))
    }

    @Test func theLogIsReadInItsOrderAndWhole() async throws {
        let ids = try await happen()

        let page = try await fixture.store.events(EventFilter(), after: nil, limit: 100)

        #expect(page.events.map(\.sequence) == [1, 2, 3, 4, 5])
        let types: [EventType] = [
            .downloadCreated, .downloadCreated, .downloadCancelled, .sessionFinished, .downloadPaused,
        ]
        #expect(page.events.map(\.type) == types)
        #expect(page.events.map(\.download) == [ids.alone, ids.member, ids.member, nil, ids.alone])
        #expect(page.events.map(\.session) == [nil, ids.session, ids.session, ids.session, nil])
        #expect(page.events.map(\.at) == Array(repeating: Fixture.now, count: 5))
        #expect(page.events[2].body == Array("3 download.cancelled \(ids.member)".utf8))
        #expect(page.window == EventWindow(oldest: 1, newest: 5))
        #expect(page.last == 5)
    }

    @Test func aFilterShowsWhatItNamesAndNothingElse() async throws {
        let ids = try await happen()
        let ends: Set<EventType> = [.downloadCancelled, .sessionFinished]

        #expect(try await numbers(EventFilter(types: ends)) == [3, 4])
        #expect(try await numbers(EventFilter(types: [.downloadCreated]), after: 1) == [2])
        #expect(try await numbers(EventFilter(types: [])) == [])
        #expect(try await numbers(EventFilter(session: ids.session)) == [2, 3, 4])
        #expect(try await numbers(EventFilter(types: ends, session: ids.session), after: 3) == [4])
        #expect(try await numbers(EventFilter(download: ids.alone)) == [1, 5])
        #expect(try await numbers(EventFilter(types: [.downloadPaused], download: ids.alone)) == [5])
        #expect(try await numbers(EventFilter(session: ids.session, download: ids.alone)) == [])
        #expect(try await numbers(EventFilter(types: ends, session: ids.session, download: ids.member)) == [3])
    }

    @Test func aPageSaysWhereTheNextOneBegins() async throws {
        _ = try await happen()
        let pauses = EventFilter(types: [.downloadCreated])

        #expect(try await fixture.store.events(pauses, after: nil, limit: 1).last == 1)
        #expect(try await fixture.store.events(pauses, after: 1, limit: 1).last == 2)
        #expect(try await fixture.store.events(pauses, after: 2, limit: 1).last == 5)
        #expect(try await fixture.store.events(pauses, after: 5, limit: 1).last == 5)
    }

    /// One who asks for what hardly ever happens leaves the connection to others in between.
    @Test func aPageThatFindsLittleEndsBeforeTheLogDoes() async throws {
        try fixture.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45000)
            INSERT INTO event (seq, id, type, at, session, terminal, body)
            SELECT i, ?, iif(i = 45000, 'download.paused', 'download.started'), 0, 's', 0, x'' FROM n
            """,
            [EventID(at: Fixture.now).text]
        )
        let filter = EventFilter(types: [.downloadPaused], session: SessionName("s"))

        var pages: [EventPage] = []
        while pages.last.map({ $0.last < $0.window.newest }) ?? true {
            pages.append(try await fixture.store.events(filter, after: pages.last?.last, limit: 10))
        }
        #expect(pages.map(\.last) == [20_000, 40_000, 45_000])
        #expect(pages.flatMap(\.events).map(\.sequence) == [45_000])
        #expect(try await fixture.store.events(EventFilter(), after: 0, limit: 45_001).last == 45_000)
        let ofNone = EventFilter(download: DownloadID(at: Fixture.now))
        #expect(try await fixture.store.events(ofNone, after: 0, limit: 1).last == 45_000)
    }

    @Test func aPageEndsWithItsBytes() async throws {
        _ = try await happen()
        let first = try await fixture.store.events(EventFilter(), after: 0, limit: 1).events[0].body.count

        let page = try await fixture.store.events(EventFilter(), after: 0, limit: 100, bytes: first + 1)
        #expect(page.events.map(\.sequence) == [1, 2] && page.last == 2 && !page.isAtEnd)
    }

    @Test func anUnreadableEventIsReportedOnce() async throws {
        let reported = Mutex<[UnreadableEvent]>([])
        let store = try Store(
            .file(fixture.path),
            encode: { _, _ in [] },
            reportUnreadableEvent: { event in
                reported.withLock { $0.append(event) }
            }
        )
        _ = try await happen()
        try fixture.execute("UPDATE event SET type = 'download.moved' WHERE seq = 2")

        for _ in 0..<2 { _ = try await store.events(EventFilter(), after: 0, limit: 9) }
        let fault = UnreadableEvent(sequence: 2, reason: "'download.moved' in column type")
        #expect(reported.withLock { $0 } == [fault])
    }

    @Test func anEventThatCannotBeReadKeepsNoOtherBack() async throws {
        _ = try await happen()
        try fixture.execute("UPDATE event SET type = 'download.moved' WHERE seq IN (2, 5)")

        let first = try await fixture.store.events(EventFilter(), after: 0, limit: 2)
        let rest = try await fixture.store.events(EventFilter(), after: 2, limit: 100)

        #expect(first.events.map(\.sequence) == [1] && first.last == 2)
        #expect(rest.events.map(\.sequence) == [3, 4] && rest.last == 5)
    }

    @Test func anEmptyLogHasNothingBeforeItsBeginning() async throws {
        let page = try await fixture.store.events(EventFilter(), after: 0, limit: 1)

        #expect(page == EventPage(window: EventWindow(oldest: nil, newest: 0), events: [], last: 0))
        #expect(!page.window.holdsAll(after: 1))
    }

    @Test func purgedEventsAreReported() async throws {
        _ = try await happen()
        try fixture.execute("UPDATE event SET at = at + 50000 WHERE seq >= 3")
        _ = try await fixture.store.purge(PurgeAges(events: .seconds(40)), now: Fixture.at(60))

        let window = try await fixture.store.eventWindow()

        #expect(window == EventWindow(oldest: 3, newest: 5))
        #expect([1, 2, 5, 6].map(window.holdsAll) == [false, true, true, false])
        #expect(try await numbers() == [3, 4, 5])
        #expect(try await numbers(after: 1) == [])
        #expect(try await numbers(after: 2) == [3, 4, 5])
    }
}
