import Testing
import TestSupport

@Suite struct RandomWalkTests {
    private static let walksPerSeed = 10

    @Test(arguments: 0..<30 as Range<UInt64>)
    func whateverTheOrderTheRulesHold(_ seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<Self.walksPerSeed {
            try await Walk().run(steps: 40, using: &generator)
        }
    }
}
