import Testing

@testable import Service

@Suite struct StepPaceTests {
    @Test func aShortStepMakesTheNextOneLargerUpToTheLimit() {
        var pace = StepPace()
        let first = pace.size
        pace.record(.milliseconds(1))
        #expect(pace.size == 2 * first)

        for _ in 0..<9 { pace.record(.milliseconds(1)) }
        #expect(pace.size == StepPace.sizes.upperBound)
    }

    @Test func aLongStepMakesTheNextOneSmallerDownToTheLimit() {
        var pace = StepPace()
        let first = pace.size
        pace.record(.milliseconds(9))
        #expect(pace.size == first / 2)

        for _ in 0..<9 { pace.record(.seconds(1)) }
        #expect(pace.size == StepPace.sizes.lowerBound)
    }

    @Test func betweenTwoStepsTheWriterIsFreeForAsLong() {
        var pace = StepPace()
        #expect(pace.rest == .zero)
        pace.record(.milliseconds(7))
        #expect(pace.rest == .milliseconds(7))
        pace.record(.seconds(60))
        #expect(pace.rest == .milliseconds(250))
    }
}
