import Model
import Store
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

    @Test func anEmptyLogHasNothingBeforeItsBeginning() async throws {
        let page = try await fixture.store.events(EventFilter(), after: 0, limit: 1)

        #expect(page == EventPage(window: EventWindow(oldest: nil, newest: 0), events: [], last: 0))
        #expect(!page.window.holdsAll(after: 1))
    }

    @Test func whatWasPurgedIsTold() async throws {
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
