import Testing

@testable import Core

/// The rate limit of a webhook.
@Suite struct DeliveryRateTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private func at(_ milliseconds: Int) -> Timestamp { Self.now + .milliseconds(milliseconds) }

    @Test(arguments: [1, 2, 3, 7, 700, 999, 1000]) func aBurstIsTheDeliveriesOfOneSecond(_ limit: Int) {
        var rate = DeliveryRate(perSecond: limit, theoreticalArrival: nil)
        #expect(rate.credit(at: Self.now) == limit)

        rate.send(limit, at: Self.now)
        #expect(rate.credit(at: Self.now) == 0)
    }

    @Test func afterABurstOneIsAllowedAtATime() {
        var rate = DeliveryRate(perSecond: 2, theoreticalArrival: nil)
        #expect(rate.next(at: Self.now, after: 2) == at(500))
        rate.send(2, at: Self.now)

        #expect(rate.next(at: Self.now) == at(500))
        #expect(rate.credit(at: at(499)) == 0 && rate.credit(at: at(500)) == 1 && rate.credit(at: at(1000)) == 2)
        rate.send(1, at: at(500))
        #expect(rate.credit(at: at(999)) == 0 && rate.next(at: at(999)) == at(1000))
    }

    /// Sends as much as it may, each millisecond.
    @Test(arguments: [3, 7, 700, 1000]) func theLimitIsReachedAndNotExceeded(_ limit: Int) {
        var rate = DeliveryRate(perSecond: limit, theoreticalArrival: nil)
        var sent = 0
        for millisecond in 0...10_000 {
            let credit = rate.credit(at: at(millisecond))
            rate.send(credit, at: at(millisecond))
            sent += credit
        }
        // Ten seconds after the burst.
        #expect(sent <= 11 * limit && sent >= 11 * limit - limit / 100 - 1)
    }

    @Test func theStateIsOneInstant() {
        var rate = DeliveryRate(perSecond: 4, theoreticalArrival: nil)
        rate.send(4, at: Self.now)
        let later = DeliveryRate(perSecond: 4, theoreticalArrival: rate.theoreticalArrival)

        #expect(later.credit(at: at(249)) == 0 && later.credit(at: at(250)) == 1)
    }

    @Test func aClockThatWasSetBackDelaysNothing() {
        var rate = DeliveryRate(perSecond: 4, theoreticalArrival: nil)
        rate.send(4, at: at(3_600_000))

        #expect(rate.credit(at: Self.now) == 4 && rate.next(at: Self.now) == Self.now)
    }

    @Test func aSmallCorrectionOfTheClockAllowsNoSecondBurst() {
        var rate = DeliveryRate(perSecond: 4, theoreticalArrival: nil)
        rate.send(4, at: at(200))

        #expect(rate.credit(at: Self.now) == 0 && rate.next(at: Self.now) == at(450))
    }
}
