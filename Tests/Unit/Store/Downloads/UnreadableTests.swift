import Core
import Store
import StoreSupport
import Synchronization
import Testing

/// A row that this version cannot read keeps nobody else back.
@Suite struct UnreadableTests {
    private static let faults = [
        "filename = 'a/b'", "directory = '../a'", "expected_digests = 'x'", "error_code = 'x', error_at = 1",
        "session = ' ', session_epoch = 1",
    ]

    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func spoil(_ id: DownloadID, _ fault: String = faults[0]) throws {
        try fixture.execute("INSERT OR IGNORE INTO session (name, created_at, epoch_started_at) VALUES (' ', 1, 1)")
        try fixture.execute("UPDATE download SET \(fault) WHERE id = ?", [id.text])
    }

    @Test(arguments: faults)
    func theOthersAreClaimed(_ fault: String) async throws {
        let bad = try await fixture.make()
        let good = try await fixture.make(at: Fixture.at(1))
        try spoil(bad.id, fault)
        let before = try fixture.row(bad.id)

        #expect(try await fixture.claim(free: 1, at: Fixture.at(2)).map(\.claim.id) == [good.id])
        #expect(try await fixture.claim(free: 1, at: Fixture.at(2)).isEmpty)
        #expect(try fixture.row(bad.id) == before)
    }

    @Test func anUnreadableDownloadTakesNoSlotOfItsHost() async throws {
        let bad = try await fixture.claimed().claim.id
        let good = try await fixture.make()
        try spoil(bad)
        _ = try? await fixture.store.download(bad)
        _ = try await fixture.store.downloads(DownloadFilter(), before: nil, limit: 9)

        #expect(try await fixture.claim(free: 1, perHost: 1).map(\.claim.id) == [good.id])
    }

    @Test(arguments: [.waiting, .queued, .running] as [DownloadState])
    func theOthersAreSwept(_ state: DownloadState) async throws {
        let good = try await fixture.download(at: DownloadStateMachine(state: .waiting)).id
        let bad = try await fixture.download(at: DownloadStateMachine(state: state)).id
        try spoil(bad)
        try fixture.execute("UPDATE download SET deadline_at = ? WHERE id = ?", [1, bad.text])

        #expect(try await fixture.store.sweep(limit: 1, now: Fixture.at(60)).isComplete == false)
        #expect(try await fixture.download(good).state == .queued)
        #expect(try fixture.value("SELECT state FROM download WHERE id = ?", [bad.text]) == state.rawValue)
        #expect(try await fixture.store.nextDue() == Fixture.at(86_400))
    }

    @Test(arguments: [.probing, .publishing] as [DownloadPhase])
    func theOthersAreTakenOver(_ phase: DownloadPhase) async throws {
        let machine = DownloadStateMachine(state: .running, phase: phase)
        let good = try await fixture.download(at: DownloadStateMachine(state: .running)).id
        let bad = try await fixture.download(at: machine).id
        try spoil(bad)
        let before = try fixture.row(bad)

        #expect(try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(5)).publishing.isEmpty)
        #expect(try await fixture.download(good).state == .queued)
        #expect(try fixture.row(bad) == before)
        #expect(try await fixture.store.needsPart(bad, generation: 1))
    }

    @Test(arguments: [[], [.queued], [.queued, .paused]] as [[DownloadState]])
    func theOthersAreListed(_ states: [DownloadState]) async throws {
        var made: [DownloadID] = []
        for index in 0..<6 { made.append(try await fixture.make(at: Fixture.at(Int64(index))).id) }
        for id in [made[2], made[4]] { try spoil(id) }

        let page = try await fixture.store.downloads(DownloadFilter(states: states), before: nil, limit: 3)
        #expect(page.map(\.id) == [made[5], made[3], made[1]])
    }

    @Test func theOthersArePurged() async throws {
        let bad = try await fixture.download(at: DownloadStateMachine(state: .failed)).id
        let good = try await fixture.download(at: DownloadStateMachine(state: .failed)).id
        try spoil(bad)
        _ = try await fixture.store.purge(PurgeAges(finishedDownloads: .zero), now: Fixture.at(5))

        #expect(try await fixture.store.partsToRemove() == [good: 1])
        #expect(try fixture.texts("SELECT id FROM download") == [bad.text])
    }

    @Test func readingAnUnreadableDownloadIsAnError() async throws {
        let id = try await fixture.make().id
        try spoil(id, "filename = '\"\\x'")

        let fault = UnreadableDownload(id: id.text, reason: "'\"\\x' in column filename")
        await #expect(throws: StoreError.unreadableDownloads([fault])) {
            try await fixture.store.download(id)
        }
        await #expect(throws: StoreError.self) { try await fixture.command(id, .pause) }
    }

    @Test func anUnreadableDownloadIsReportedOnce() async throws {
        let reported = Mutex<[String]>([])
        let store = try Store(
            .file(fixture.path),
            encode: { _, _ in [] },
            reportUnreadable: { row in
                reported.withLock { $0.append(row.id) }
            }
        )
        let id = try await fixture.make().id
        // An id may be unreadable too, whatever stands in it.
        let other = try await fixture.make().id
        try spoil(id)
        try fixture.execute("UPDATE download SET id = ? WHERE id = ?", ["\"a\\\n", other.text])

        for _ in 0..<2 {
            #expect(try await store.downloads(DownloadFilter(), before: nil, limit: 9).isEmpty)
            #expect(try await store.claim(Slots(free: 9, perHost: 9), node: "x", now: Fixture.now).downloads.isEmpty)
            _ = try? await store.download(id)
        }
        #expect(reported.withLock { $0.sorted() } == ["\"a\\\n", id.text])
    }
}
