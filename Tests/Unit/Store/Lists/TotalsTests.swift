import Core
import StoreSupport
import Testing

@testable import Store

/// The kept totals. `RandomWalkTests` compares them with counted ones after random operations.
@Suite struct TotalsTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func session(_ name: String) async throws -> SessionSummary? {
        try await fixture.store.session(#require(SessionName(name)))
    }

    @Test func everyTransitionIsCounted() async throws {
        for machine in DownloadStateMachine.allMachines where machine.phase != .verifying {
            let before = try await session("s")?.counts[machine.state] ?? 0
            _ = try await fixture.download(at: machine, session: "s")

            let after = try await session("s")?.counts[machine.state]
            #expect(after == before + 1, "\(machine)")
            #expect(try await fixture.store.totals().downloads.counts[machine.state] == after)
        }
    }

    @Test func bytesAreAddedUp() async throws {
        let claim = try await fixture.claimed(session: "s").claim
        _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)
        _ = try await fixture.make(session: "t")

        let summary = try #require(try await session("s"))
        #expect(summary.receivedBytes == 400)
        #expect(summary.totalBytes == 1000)
        let all = try await fixture.store.totals().downloads
        #expect(all.receivedBytes == 400)
        #expect(all.totalBytes == 1000)
        #expect(fixture.store.receivedBytes == 400)
    }

    @Test func aDeletedDownloadIsCountedOut() async throws {
        let id = try await fixture.make(session: "s").id
        _ = try await fixture.store.delete(id, force: true, expectedRevision: nil, now: Fixture.now)

        #expect(try await session("s")?.counts.values.allSatisfy { $0 == 0 } == true)
        #expect(try await fixture.store.totals().downloads.count() == 0)
    }

    @Test func aCallThatThrowsCountsNothing() async throws {
        struct Refused: Error {}
        let made = try await fixture.make(session: "s")
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<16 {
                group.addTask { [fixture] in
                    try? await fixture.store.writer.write { transaction in
                        var other = made
                        other.revision += 1
                        other.progress.totalBytes = 10
                        if index > 0 { try transaction.update(made, to: other) }
                        throw Refused()
                    }
                }
                group.addTask { [fixture] in _ = try? await fixture.make(session: "s") }
            }
        }

        #expect(try await session("s")?.counts[.queued] == 17)
        #expect(try await session("s")?.totalBytes == 0)
    }

    @Test func theTotalsSurviveARestart() async throws {
        _ = try await fixture.make(session: "s")
        fixture.store.close()

        let again = try Fixture.open(fixture.path)
        #expect(try await again.totals().downloads.counts[.queued] == 1)
        #expect(try await again.session(#require(SessionName("s")))?.counts[.queued] == 1)
    }

    @Test func theOldestQueuedDownloadIsFound() async throws {
        #expect(try await fixture.store.totals().oldestQueuedAt == nil)
        let first = try await fixture.make(at: Fixture.at(1)).id
        _ = try await fixture.make(at: Fixture.at(2))

        #expect(try await fixture.store.totals().oldestQueuedAt == Fixture.at(1))
        try await fixture.done(first, .pause, at: Fixture.at(3))
        #expect(try await fixture.store.totals().oldestQueuedAt == Fixture.at(2))
    }
}
