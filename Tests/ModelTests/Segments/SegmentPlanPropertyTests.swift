import Core
import FoundationEssentials
import Testing

/// Random downloads: no byte is written twice, none is left out, and no row claims what a crash would take.
///
/// `CORMORANT_PLAN_RUNS` sets how many, `CORMORANT_TEST_SEED` the first one's seed.
@Suite struct SegmentPlanPropertyTests {
    private static let shards = 4

    @Test(arguments: 0..<shards)
    func everyByteIsWrittenOnceInAnyOrderWithAnyFault(shard: Int) {
        let environment = ProcessInfo.processInfo.environment
        let runs = environment["CORMORANT_PLAN_RUNS"].flatMap { Int($0) } ?? 30_000
        let firstSeed = environment["CORMORANT_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        if shard == 0 { print("plan test: \(runs) runs from seed \(firstSeed)") }

        for run in stride(from: shard, to: runs, by: Self.shards) {
            let seed = firstSeed &+ UInt64(run)
            let fault = Self.fault(seed: seed)

            #expect(fault == nil, "seed \(seed): \(fault ?? "")")
            if fault != nil { return }
        }
    }

    private static func fault(seed: UInt64) -> String? {
        var simulation = PlanSimulation(seed: seed)
        do {
            try simulation.run()
            return nil
        } catch {
            return error.text
        }
    }
}
