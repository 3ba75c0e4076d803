import Core
import FoundationEssentials
import Testing

/// `session.finished`: exactly once for each drain, and telling what is so, in whatever order the calls come.
///
/// `CORMORANT_SESSION_RUNS` sets how many orders, `CORMORANT_TEST_SEED` the first one's seed.
@Suite struct SessionPropertyTests {
    private static let shards = 4

    @Test(arguments: 0..<shards)
    func aSessionFinishesOnceForEachDrainInAnyOrder(shard: Int) async throws {
        let environment = ProcessInfo.processInfo.environment
        let runs = environment["CORMORANT_SESSION_RUNS"].flatMap { Int($0) } ?? 300
        let firstSeed = environment["CORMORANT_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        if shard == 0 { print("session test: \(runs) runs from seed \(firstSeed)") }
        let (log, executor) = (try DrainLog(), SerialExecutor())

        for run in stride(from: shard, to: runs, by: Self.shards) {
            let seed = firstSeed &+ UInt64(run)
            let fault = await Self.fault(seed: seed, log, executor, at: Fixture.at(Int64(run) * 60))

            #expect(fault == nil, "seed \(seed): \(fault ?? "")")
            if fault != nil { return }
        }
    }

    private static func fault(
        seed: UInt64,
        _ log: DrainLog,
        _ executor: SerialExecutor,
        at time: Timestamp
    ) async -> String? {
        do {
            var walk = try SessionWalk(seed: seed, log, executor, at: time)
            try await walk.run()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
