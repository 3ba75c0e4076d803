import Core
import Store
import Testing

/// Looking a download up again and again.
@Suite struct LookUpTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aLookUpNeverShowsLessThanAWriteWasAnswered() async throws {
        let ids = try await [fixture.make().id, fixture.make().id, fixture.make().id]

        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask { try await change(id) }
                // Its look-ups fall between the writes, and leave what they read behind.
                group.addTask { for _ in 0..<2000 { _ = try await fixture.download(id) } }
            }
            try await group.waitForAll()
        }
    }

    private func change(_ id: DownloadID) async throws {
        for round in 1...100 {
            var edit = DownloadEdit()
            edit.labels = .set(JSONText(canonical: #"{"round":"\#(round)"}"#))
            let written = try await fixture.done(id, nil, edit).download
            #expect(try await fixture.download(id).revision >= written.revision)
        }
    }

    @Test func whatIsDeletedIsNotFoundThoughItWasLookedUp() async throws {
        let id = try await fixture.make(starts: false).id
        #expect(try await fixture.store.download(id) != nil)
        #expect(try await fixture.store.download(id) != nil)

        try await fixture.done(id, .cancel)
        _ = try await fixture.store.delete(id, force: false, expectedRevision: nil, now: Fixture.now)

        #expect(try await fixture.store.download(id) == nil)
    }

    @Test func moreThanAreKeptAreStillFound() async throws {
        var ids: [DownloadID] = []
        for _ in 0..<1100 { ids.append(try await fixture.make(starts: false).id) }

        for id in ids + ids { #expect(try await fixture.store.download(id)?.id == id) }
    }
}
