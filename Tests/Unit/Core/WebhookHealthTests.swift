import Core
import HTTPFields
import TestSupport
import Testing

/// When a webhook that takes nothing is given up: by time, and not by count.
@Suite struct WebhookHealthTests {
    private static let start = Timestamp(milliseconds: 1_767_225_600_000)

    private static func hours(_ count: Double) -> Timestamp { start + .seconds(count * 3600) }

    /// The hours at which failures follow each other, and at which of them the webhook is given up.
    private static func givenUp(_ hours: [Double]) -> Double? {
        var health = WebhookHealth()
        return hours.first { health.recordFailure(at: self.hours($0)) }
    }

    @Test func aBusyHourOfFailuresEndsNothing() {
        #expect(Self.givenUp((0..<10_000).map { Double($0) / 10_000 }) == nil)
    }

    @Test func daysCountFromWhenSeveralFailuresLieHalfADayApart() {
        let failures = Array(stride(from: 0.0, through: 200, by: 1))

        // Twelve hours and five days after the first.
        #expect(Self.givenUp(failures) == 132)
    }

    @Test func theDaysCountAnewWhereTheClockWasSetBack() {
        // A hundred hours of failures, and then the clock shows the year before.
        let failures = Array(stride(from: 0.0, through: 100, by: 1)) + stride(from: -8760.0, through: -8000, by: 1)

        // Five days after the step.
        #expect(Self.givenUp(failures) == -8640)
    }

    @Test func twoFailuresHalfADayApartAreNotSeveral() {
        var health = WebhookHealth()
        _ = health.recordFailure(at: Self.hours(0))
        _ = health.recordFailure(at: Self.hours(13))
        #expect(health.failingSince == nil)

        _ = health.recordFailure(at: Self.hours(14))
        #expect(health.failingSince == Self.hours(14))
    }

    @Test func failuresThatAreDaysApartDoNotCountTogether() {
        #expect(Self.givenUp((0..<20).map { Double($0) * 25 }) == nil)
    }

    @Test func theAttemptsOfOneDeliveryAreEnoughToBegin() {
        var health = WebhookHealth()
        // The schedule without jitter: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, …
        for hour in [0.0, 0.0014, 0.085, 0.585, 2.585, 7.585, 17.585] { _ = health.recordFailure(at: Self.hours(hour)) }

        #expect(health.failingSince == Self.hours(17.585))
        #expect(health.consecutiveFailures == 7)
    }

    @Test func aFailureAfterFiveDaysIsNeeded() {
        var health = WebhookHealth(consecutiveFailures: 9, failingSince: Self.hours(0))

        let ends = [119.9, 120].map { health.recordFailure(at: Self.hours($0)) }

        #expect(ends == [false, true])
    }

    @Test func aSuccessBeginsAnew() {
        var health = WebhookHealth()
        for hour in 0..<100 { _ = health.recordFailure(at: Self.hours(Double(hour))) }
        health = WebhookHealth()

        let isGivenUp = health.recordFailure(at: Self.hours(200))

        #expect(!isGivenUp)
        #expect(health.consecutiveFailures == 1 && health.failingSince == nil)
    }
}

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
