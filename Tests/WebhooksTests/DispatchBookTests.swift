import Model
import Testing

@testable import Webhooks

/// How much may be under way to each webhook.
@Suite struct DispatchBookTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private static func webhook(rate: Int? = nil) -> Webhook {
        Webhook(
            id: WebhookID(at: now),
            origin: .api,
            settings: WebhookSettings(url: "https://hook.example/", rateLimitPerSecond: rate),
            createdAt: now,
            updatedAt: now
        )
    }

    private var book = DispatchBook()

    private mutating func slots(after seconds: Double = 0) -> DeliverySlots {
        book.slots(now: Self.now + .seconds(seconds), elapsed: .seconds(seconds))
    }

    @Test mutating func thereAreFourForEachAndThirtyTwoInAll() {
        let webhook = Self.webhook()
        for _ in 0..<3 { book.begin(webhook, elapsed: .zero) }
        let slots = slots()

        #expect(slots.free == 29 && slots.perWebhook == 4)
        #expect(slots.left == [webhook.id: 1] && slots.spared.isEmpty)
    }

    @Test mutating func whatEndedIsForgotten() {
        let webhook = Self.webhook()
        book.begin(webhook, elapsed: .zero)
        book.end(webhook.id, isSpared: false, now: Self.now)
        let slots = slots()

        #expect(slots.free == 32 && slots.left.isEmpty)
    }

    /// A delivery may end after the instant that a claim took for now.
    @Test mutating func oneThatIsSparedDuringAClaimIsSpared() {
        let webhook = Self.webhook()
        for _ in 0..<2 { book.begin(webhook, elapsed: .zero) }
        book.end(webhook.id, isSpared: true, now: Self.now + .milliseconds(1))

        let slots = slots()
        #expect(slots.spared == [webhook.id])
    }

    @Test mutating func oneThatIsSparedGetsOneAtATimeForAMinute() {
        let webhook = Self.webhook()
        book.begin(webhook, elapsed: .zero)
        book.end(webhook.id, isSpared: true, now: Self.now)
        let spared = slots(after: 59.9)
        book.begin(webhook, elapsed: .seconds(59.9))
        let busy = slots(after: 59.95)
        book.end(webhook.id, isSpared: false, now: Self.now + .seconds(59.95))
        let over = slots(after: 60)

        #expect(spared.left == [webhook.id: 1] && spared.spared == [webhook.id] && spared.freeToSpared == 16)
        #expect(busy.left == [webhook.id: 0] && busy.freeToSpared == 15)
        #expect(over.left.isEmpty && over.spared.isEmpty)
    }

    @Test mutating func oneIsNotSparedLongerWhereTheClockWasSetBack() {
        let webhook = Self.webhook()
        book.begin(webhook, elapsed: .zero)
        book.end(webhook.id, isSpared: true, now: Self.now)
        let slots = book.slots(now: Self.now - .seconds(3600), elapsed: .seconds(1))

        #expect(slots.spared.isEmpty)
    }

    @Test mutating func aRateIsABurstOfASecondAndThenOneByOne() {
        let webhook = Self.webhook(rate: 2)
        for _ in 0..<2 { book.begin(webhook, elapsed: .zero) }
        for _ in 0..<2 { book.end(webhook.id, isSpared: false, now: Self.now) }
        let empty = slots()
        let wait = book.wait(for: [webhook.id])
        let half = slots(after: 0.5)
        let whole = slots(after: 1)

        #expect(empty.left == [webhook.id: 0] && wait == .milliseconds(500))
        #expect(half.left == [webhook.id: 1])
        #expect(whole.left.isEmpty)
        #expect(book.wait(for: [webhook.id]) == nil)
    }

    @Test mutating func whatIsHeldForAnotherReasonWaitsForNoClock() {
        let webhook = Self.webhook(rate: 100)
        for _ in 0..<4 { book.begin(webhook, elapsed: .zero) }
        let slots = slots()

        #expect(slots.left == [webhook.id: 0] && book.wait(for: [webhook.id]) == nil)
    }
}
