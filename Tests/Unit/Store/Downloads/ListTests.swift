import Core
import Store
import StoreSupport
import Testing

@Suite struct ListTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// Made at later and later instants, the newest last: queued, paused, cancelled in turn, every second in a session.
    private func fill() async throws -> [Download] {
        var made: [Download] = []
        for index in 0..<12 {
            let session = index.isMultiple(of: 2) ? "s" : nil
            let download = try await fixture.make(session: session, at: Fixture.at(Int64(index)))
            switch index % 3 {
            case 1: try await fixture.done(download.id, .pause)
            case 2: try await fixture.done(download.id, .cancel)
            default: break
            }
            made.append(try await fixture.download(download.id))
        }
        return made.reversed()
    }

    @Test func theNewestComesFirst() async throws {
        let made = try await fill()

        #expect(try await fixture.store.downloads(DownloadFilter(), before: nil, limit: 100) == made)
        #expect(try await fixture.store.downloads(DownloadFilter(), before: nil, limit: 5) == Array(made.prefix(5)))
    }

    @Test(
        arguments: [[], [.queued], [.paused, .cancelled], [.completed], [.queued, .queued], DownloadState.allCases],
        [nil, "s", "other"]
    )
    func aFilterShowsWhatItNames(_ states: [DownloadState], session: String?) async throws {
        let name = session.flatMap { SessionName($0) }
        let expected = try await fill().filter {
            (states.isEmpty || states.contains($0.state)) && (name == nil || $0.request.session == name)
        }
        let filter = DownloadFilter(states: states, session: name)

        #expect(try await fixture.store.downloads(filter, before: nil, limit: 100) == expected)
    }

    @Test(arguments: [[], [.paused], [.queued, .cancelled]] as [[DownloadState]])
    func aCursorGoesOnWhereThePageEnded(_ states: [DownloadState]) async throws {
        _ = try await fill()
        let filter = DownloadFilter(states: states)
        let all = try await fixture.store.downloads(filter, before: nil, limit: 100)

        var paged: [Download] = []
        while true {
            let page = try await fixture.store.downloads(filter, before: paged.last?.id, limit: 3)
            if page.isEmpty { break }
            paged += page
        }
        #expect(paged == all)
    }

    @Test func aDownloadThatChangesStateIsListedOnceAllTheSame() async throws {
        let id = try await fixture.make().id
        let filter = DownloadFilter(states: [.queued, .paused])

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while !Task.isCancelled {
                    for action in [DownloadAction.pause, .resume] { try await fixture.done(id, action) }
                }
            }
            for _ in 0..<500 {
                #expect(try await fixture.store.downloads(filter, before: nil, limit: 9).map(\.id) == [id])
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func aLookupOfAnUnknownIDFindsNothing() async throws {
        #expect(try await fixture.store.download(DownloadID(at: Fixture.now)) == nil)
        #expect(try await fixture.store.session(#require(SessionName("none"))) == nil)
    }

    @Test func sessionsComeInTheOrderOfTheirNames() async throws {
        for name in ["b", "c", "a"] { try await fixture.make(session: name) }

        let all = try await fixture.store.sessions(after: nil, limit: 2)
        #expect(all.map(\.session.name.text) == ["a", "b"])
        let rest = try await fixture.store.sessions(after: all.last?.session.name, limit: 2)
        #expect(rest.map(\.session.name.text) == ["c"])
    }
}
