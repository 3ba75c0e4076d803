import Core
import Store
import StoreSupport
import TestSupport
import Testing

@Suite struct RandomWalkTests {
    /// The simulation takes hundreds of such walks more, and kills the process in them.
    private static let walksPerSeed = 3

    @Test(arguments: 0..<30 as Range<UInt64>)
    func theRulesHoldInAnyOrderOfCalls(_ seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<Self.walksPerSeed {
            try await take(steps: 40, using: &generator)
        }
    }

    /// Takes `steps` steps, up to four of them at once, and checks what must always hold after each round.
    private func take(steps: Int, using generator: inout SplitMix64) async throws {
        let fixture = try Fixture()
        let walk = StoreWalk(on: fixture.store)
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        for statement in StoreInvariants.recordOfMoves { try fixture.execute(statement) }
        var invariants = StoreInvariants(hasRecordOfMoves: true)
        var time = Fixture.now
        var left = steps
        while left > 0 {
            let round = (0..<min(left, generator.pick([1, 1, 2, 4]))).map { _ in walk.nextStep(using: &generator) }
            left -= round.count
            time = time + .seconds(generator.chance(oneIn: 40) ? 100_000 : Int64.random(in: 0...20, using: &generator))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for step in round { group.addTask { [time] in try await walk.apply(step, at: time) } }
                try await group.waitForAll()
            }
            let faults = try invariants.faults(in: fixture.window)
            #expect(faults.isEmpty, "after \(round)")
            try await checkWritten(walk, fixture)
        }
        #expect(try fixture.texts("SELECT \"table\" FROM pragma_foreign_key_check").isEmpty)
        #expect(try fixture.texts("SELECT integrity_check FROM pragma_integrity_check") == ["ok"])
    }

    /// What the writer takes a download to be is what its row says.
    private func checkWritten(_ walk: StoreWalk, _ fixture: Fixture) async throws {
        for id in walk.downloads.suffix(16) {
            #expect(try await fixture.writtenDownload(id) == fixture.store.download(id))
        }
    }
}
