import Core
import Store
import Testing

/// What the writer remembers of the rows is what they hold.
@Suite struct WrittenRowsTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test(arguments: [.queued, .running] as [DownloadState])
    func whatAnotherHandWroteIsSeen(_ state: DownloadState) async throws {
        let made = try await fixture.download(at: DownloadStateMachine(state: state))

        try fixture.execute("UPDATE download SET max_bytes = 7 WHERE id = ?", [made.id.text])
        #expect(try await fixture.writtenDownload(made.id)?.request.maxBytes == 7)
    }

    @Test func whatACallThatFailedWroteIsForgotten() async throws {
        let claimed = try await fixture.claimed()
        let before = try await fixture.writtenDownload(claimed.claim.id)

        await #expect(throws: StoreError.self) {
            _ = try await fixture.store.settle(claimed.claim, .completed, madeProgress: true, now: Fixture.at(1))
        }
        #expect(try await fixture.writtenDownload(claimed.claim.id) == before)
    }

    @Test func aDeletedDownloadIsGone() async throws {
        let made = try await fixture.make()

        _ = try await fixture.store.delete(made.id, force: true, expectedRevision: nil, now: Fixture.at(1))
        #expect(try await fixture.writtenDownload(made.id) == nil)
    }
}
