import Core
import TestSupport
import Testing

@testable import Service

/// What each answer of a receiver means (Standard Webhooks 1.0.0).
struct DeliveryRulesTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private static func result(
        _ status: Int?,
        attempt: Int = 1,
        random: Double = 0,
        _ change: (inout WebhookClient.Response) -> Void = { _ in }
    ) -> DeliveryAttempt.Result {
        var response = WebhookClient.Response(status: status)
        change(&response)
        return DeliveryRules(schedule: .standard).result(on: response, attempt: attempt, now: now, random: random)
    }

    @Test(arguments: [200, 201, 202, 204, 226, 299])
    func everyTwoHundredIsATaking(_ status: Int) {
        #expect(Self.result(status) == .succeeded)
    }

    @Test(arguments: [nil, 100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 429, 500, 502, 503, 504, 599])
    func anythingElseIsTriedAgainAfterFiveSeconds(_ status: Int?) {
        #expect(Self.result(status) == .retry(at: Self.now + .seconds(5)))
    }

    @Test func goneDisablesTheWebhook() {
        #expect(Self.result(410) == .disables(.gone))
    }

    @Test(arguments: [200, 410, 500])
    func theReceiversWordCountsWhateverItsStatus(_ status: Int) {
        #expect(Self.result(status) { $0.instruction = "abort-message" } == .aborted)
        #expect(Self.result(status) { $0.instruction = "Disable" } == .disables(.requestedByReceiver))
    }

    @Test func aWordThatIsNotKnownMeansNothing() {
        #expect(Self.result(204) { $0.instruction = "later" } == .succeeded)
    }

    @Test func theTenthFailureIsTheLast() {
        #expect(Self.result(500, attempt: 9) != .exhausted)
        #expect(Self.result(500, attempt: 10) == .exhausted)
    }

    @Test func aReceiverMayAskForMoreTimeButNotForLess() {
        #expect(Self.result(503) { $0.retryAfter = "3600" } == .retry(at: Self.now + .seconds(3600)))
        #expect(Self.result(503) { $0.retryAfter = "1" } == .retry(at: Self.now + .seconds(5)))
        #expect(Self.result(503) { $0.retryAfter = "99999999" } == .retry(at: Self.now + .seconds(86_400)))
        #expect(Self.result(503) { $0.retryAfter = "soon" } == .retry(at: Self.now + .seconds(5)))
    }

    @Test func aDateIsTakenAgainstTheReceiversOwnClock() {
        let result = Self.result(503) { response in
            response.retryAfter = "Sun, 06 Nov 1994 09:49:37 GMT"
            response.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        }

        #expect(result == .retry(at: Self.now + .seconds(3600)))
    }

    @Test(arguments: [400, 404, 408, 425, 500])
    func onlyAReceiverThatIsOverloadedMayAskForMoreTime(_ status: Int) {
        #expect(Self.result(status) { $0.retryAfter = "3600" } == .retry(at: Self.now + .seconds(5)))
    }

    @Test(
        arguments: [
            (429, 0, true), (502, 0, true), (503, 0, true), (504, 0, true), (nil, 0, true), (204, 5, true),
            (500, 0, false),
            (400, 0, false), (204, 0, false), (204, 4, false),
        ] as [(Int?, Int, Bool)]
    )
    func aReceiverThatIsOverloadedOrSilentCountsAsSlow(_ status: Int?, _ seconds: Int, _ isSlow: Bool) {
        let response = WebhookClient.Response(status: status)

        #expect(DeliveryRules.isSlow(response, after: .seconds(seconds)) == isSlow)
    }
}

/// How much may be under way to each webhook.
@Suite struct InFlightDeliveriesTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private let webhook = WebhookID(at: now)
    private var inFlight = InFlightDeliveries()

    private mutating func slots(after seconds: Double = 0) -> DeliverySlots {
        inFlight.slots(now: Self.now + .seconds(seconds))
    }

    @Test mutating func fourDeliveriesPerWebhookAndThirtyTwoInAllRunAtOnce() {
        for _ in 0..<3 { inFlight.begin(webhook) }
        let slots = slots()

        #expect(slots.free == 29 && slots.perWebhook == 4)
        #expect(slots.remaining == [webhook: 1] && slots.slow.isEmpty)
    }

    @Test mutating func endedDeliveriesAreForgotten() {
        inFlight.begin(webhook)
        inFlight.end(webhook, isSlow: false, now: Self.now)
        let slots = slots()

        #expect(slots.free == 32 && slots.remaining.isEmpty)
    }

    /// A delivery may end after the instant that a claim took for now.
    @Test mutating func aWebhookThatBecomesSlowDuringAClaimIsSlow() {
        for _ in 0..<2 { inFlight.begin(webhook) }
        inFlight.end(webhook, isSlow: true, now: Self.now + .milliseconds(1))

        let slots = slots()
        #expect(slots.slow == [webhook])
    }

    @Test mutating func aSlowWebhookGetsOneAtATimeForAMinute() {
        inFlight.begin(webhook)
        inFlight.end(webhook, isSlow: true, now: Self.now)
        let slow = slots(after: 59.9)
        inFlight.begin(webhook)
        let busy = slots(after: 59.95)
        inFlight.end(webhook, isSlow: false, now: Self.now + .seconds(59.95))
        let over = slots(after: 60)

        #expect(slow.remaining == [webhook: 1] && slow.slow == [webhook] && slow.freeForSlow == 16)
        #expect(busy.remaining == [webhook: 0] && busy.freeForSlow == 15)
        #expect(over.remaining.isEmpty && over.slow.isEmpty)
    }

    @Test mutating func aWebhookIsNotSlowForLongerWhereTheClockWasSetBack() {
        inFlight.begin(webhook)
        inFlight.end(webhook, isSlow: true, now: Self.now)
        let slots = inFlight.slots(now: Self.now - .seconds(3600))

        #expect(slots.slow.isEmpty)
    }
}
