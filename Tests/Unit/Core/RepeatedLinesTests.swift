import Core
import Testing

@Suite struct RepeatedLinesTests {
    @Test func theFirstEventHasALineAndThenOneInEachInterval() {
        var lines = RepeatedLines<String>(every: .seconds(60))
        let counts = (0..<120).compactMap { lines.record("a", elapsed: .seconds($0)) }

        #expect(counts == [1, 60])
    }

    @Test func eachKindIsCountedByItself() {
        var lines = RepeatedLines<String>(every: .seconds(60))
        let counts = ["a", "b", "a"].map { lines.record($0, elapsed: .zero) }

        #expect(counts == [1, 1, nil])
    }

    @Test func theEndTellsHowManyThereWereAndForgetsThem() {
        var lines = RepeatedLines<String>(every: .seconds(60))
        for _ in 0..<3 { _ = lines.record("a", elapsed: .zero) }

        let ends = [lines.end("a"), lines.end("a")]
        #expect(ends == [3, 0])
        let again = lines.record("a", elapsed: .zero)
        #expect(again == 1)
    }

    @Test func aFullTableForgetsTheQuietKindsFirst() {
        var lines = RepeatedLines<Int>(every: .seconds(60), capacity: 2)
        _ = lines.record(1, elapsed: .zero)
        _ = lines.record(2, elapsed: .seconds(50))
        _ = lines.record(3, elapsed: .seconds(70))

        // The first had no event for an interval, and the second is still counted.
        let second = lines.record(2, elapsed: .seconds(70))
        #expect(second == nil)
    }
}
