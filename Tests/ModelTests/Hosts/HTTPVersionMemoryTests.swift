import Model
import Testing

struct HTTPVersionMemoryTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private static func at(_ seconds: Int) -> Timestamp { start + .seconds(seconds) }

    private static func memory(failuresAt seconds: [Int]) -> HTTPVersionMemory {
        var memory = HTTPVersionMemory()
        for second in seconds { memory.noteFailure(at: at(second)) }
        return memory
    }

    @Test(
        arguments: [
            ([], false), ([0], false), ([0, 10], false), ([0, 10, 20], true), ([0, 0, 0, 0], false),
            ([0, 10, 10, 20, 20], true), ([0, 300, 601], false), ([0, 300, 600], true), ([0, 5, 700, 705], false),
        ] as [([Int], Bool)]
    )
    func threeFailuresWithinTenMinutesAreEnough(_ failures: [Int], _ avoids: Bool) {
        let memory = Self.memory(failuresAt: failures)

        #expect(memory.avoidsHTTP2(at: Self.at(failures.last ?? 0)) == avoids)
    }

    @Test func itIsTriedAgainAfterAnHour() {
        let memory = Self.memory(failuresAt: [0, 10, 20])

        #expect(memory.avoidsHTTP2(at: Self.at(3619)) && !memory.avoidsHTTP2(at: Self.at(3620)))
        #expect(!memory.isPristine(at: Self.at(3619)) && memory.isPristine(at: Self.at(3620)))
    }

    @Test func aHostThatSpeaksNothingElseIsNotAskedOtherwise() {
        var memory = Self.memory(failuresAt: [0, 10, 20])
        memory.noteRefusalOfHTTP1(at: Self.at(21))
        for second in [30, 40, 50] { memory.noteFailure(at: Self.at(second)) }

        #expect(memory.needsHTTP2(at: Self.at(50)) && !memory.avoidsHTTP2(at: Self.at(50)))
        #expect(!memory.needsHTTP2(at: Self.at(3621)))
    }

    @Test func aClockThatWasSetBackForgets() {
        let memory = Self.memory(failuresAt: [0, 10, 20])

        #expect(!memory.avoidsHTTP2(at: Self.at(-3600)))
    }

    @Test func oneFailureIsForgottenWithItsAge() {
        let memory = Self.memory(failuresAt: [0])

        #expect(!memory.isPristine(at: Self.at(600)) && memory.isPristine(at: Self.at(601)))
    }
}
