import Core
import Store
import Testing

/// Waiting for one download to change.
@Suite struct ChangeTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// Whether whoever waits for a download is woken by what is done.
    private func isWoken(waitingFor id: DownloadID, _ act: () async throws -> Void) async throws -> Bool {
        let (changes, waiter) = fixture.store.changes(of: id)
        try await act()
        waiter.finish()
        return await changes.reduce(0) { count, _ in count + 1 } > 0
    }

    @Test func itsOwnChangeWakesAndNoOther() async throws {
        let (id, other) = (try await fixture.make().id, try await fixture.make().id)

        #expect(try await isWoken(waitingFor: id) { try await fixture.done(id, .pause) })
        #expect(try await !isWoken(waitingFor: id) { try await fixture.done(other, .pause) })
        #expect(try await !isWoken(waitingFor: id) { try await fixture.make() })
    }

    @Test func itsEndWakes() async throws {
        let id = try await fixture.make().id

        let isWoken = try await isWoken(waitingFor: id) {
            _ = try await fixture.store.delete(id, force: true, expectedRevision: nil, now: Fixture.now)
        }
        #expect(isWoken)
    }
}
