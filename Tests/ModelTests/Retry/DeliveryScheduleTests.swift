import Core
import HTTPFields
import Testing
import TestSupport

@Suite struct DeliveryScheduleTests {
    @Test(
        arguments: [
            (1, 0, 0), (2, 5, 7), (3, 240, 360), (4, 1440, 2160), (5, 5760, 8640), (6, 14_400, 21_600),
            (7, 28_800, 43_200), (8, 40_320, 60_480), (9, 57_600, 86_400), (10, 69_120, 103_680),
        ] as [(Int, Double, Double)]
    )
    func anAttemptIsDueWithinItsJitter(_ attempt: Int, from: Double, to: Double) throws {
        var generator = SplitMix64(seed: UInt64(attempt))
        for _ in 0..<1000 {
            let random = Double.random(in: 0..<1, using: &generator)
            let delay = try #require(DeliverySchedule.standard.delay(beforeAttempt: attempt, random: random))

            #expect(delay >= .seconds(from) && delay <= .seconds(to))
        }
    }

    @Test(arguments: [Int.min, -1, 0, 11, Int.max])
    func noOtherAttemptTakesPlace(_ attempt: Int) {
        #expect(DeliverySchedule.standard.delay(beforeAttempt: attempt, random: 0.5) == nil)
    }

    @Test func withoutJitterTheLastAttemptIsThreeDaysAfterTheFirst() {
        let planned = (1...10).compactMap { DeliverySchedule.standard.delay(beforeAttempt: $0, random: 0.5) }
        let total = planned.reduce(.zero, +)

        // The 5 seconds have up to 2 more.
        #expect(total >= .seconds(272_105) && total < .seconds(272_107))
    }

    @Test func aScheduleOfOnesOwnHasAnAttemptMoreThanDelays() throws {
        let schedule = DeliverySchedule(delays: [.seconds(1), .seconds(600)])

        #expect(schedule.delay(beforeAttempt: 1, random: 0.5) == .zero)
        #expect(try #require(schedule.delay(beforeAttempt: 2, random: 0)) == .seconds(1))
        #expect(abs(try #require(schedule.delay(beforeAttempt: 3, random: 0.5)) / .seconds(1) - 600) < 0.001)
        #expect(schedule.delay(beforeAttempt: 4, random: 0.5) == nil)
        #expect(DeliverySchedule(delays: []).delay(beforeAttempt: 2, random: 0.5) == nil)
    }

    @Test(
        arguments: [(2, "60", 60), (3, "1", 300), (2, "864000", 86_400), (10, "864000", 86_400)] as [(Int, String, Int)]
    )
    func theReceiversWishIsAMinimumOfAtMostADay(_ attempt: Int, wish: String, seconds: Int) throws {
        let now = HTTPDate(secondsSinceEpoch: 0)
        let retryAfter = try #require(RetryAfter(wish, responseDate: nil, now: now))
        let delay = try #require(
            DeliverySchedule.standard.delay(beforeAttempt: attempt, random: 0.5, retryAfter: retryAfter)
        )

        #expect(abs(delay / .seconds(1) - Double(seconds)) < 0.001)
    }
}
