import Core
import Store
import StoreSupport
import Testing

/// `ordering: session`: one after the other, with a head that is passed by in the end.
@Suite struct DeliveryOrderTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func claim(at seconds: Int64 = 0) async throws -> [DueDelivery] {
        try await fixture.store.claimDeliveries(now: Fixture.at(seconds))
    }

    private func record(_ due: DueDelivery, _ result: DeliveryAttempt.Result, at seconds: Int64 = 0) async throws {
        try await fixture.store.recordDelivery(due, Deliveries.attempt(result, at: Fixture.at(seconds)))
    }

    private func bodies(_ due: [DueDelivery]) -> [String] {
        due.map { String(decoding: $0.body, as: UTF8.self).split(separator: " ").prefix(2).joined(separator: " ") }
    }

    private func ordered() async throws -> Webhook { try await fixture.webhook { $0.ordering = .session } }

    @Test func ofASessionTheNextGoesOnceTheOneBeforeIsDone() async throws {
        _ = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        var order: [String] = []
        for result in [.succeeded, .exhausted] as [DeliveryAttempt.Result] {
            let due = try await claim()
            #expect(due.count == 1)
            order += bodies(due)
            #expect(try await claim().isEmpty)
            try await record(#require(due.first), result)
        }

        #expect(order == ["3 download.cancelled", "5 download.cancelled"])
        #expect(try await claim().isEmpty)
        #expect(try fixture.count("delivery WHERE place IS NOT NULL") == 0)
    }

    @Test func theNextGoesInTheChangeThatSettlesTheOneBefore() async throws {
        _ = try await ordered()
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        let first = try #require(try await claim().first)
        let next = try await fixture.store.claimDeliveries(
            DeliverySlots(free: 4, perWebhook: 4),
            node: Fixture.node,
            recording: [SentDelivery(first, Deliveries.attempt(.succeeded))],
            now: Fixture.now
        )

        #expect(next.deliveries.count == 1)
    }

    @Test func theEndOfASessionComesAfterAllOfItsDownloads() async throws {
        _ = try await ordered()
        let ids = [try await fixture.make(session: "s").id, try await fixture.make(session: "s").id]
        for id in ids { try await fixture.done(id, .cancel) }
        var order: [String] = []
        while let due = try await claim().first {
            order += bodies([due])
            try await record(due, .succeeded)
        }

        #expect(order == ["3 download.cancelled", "4 download.cancelled", "5 session.finished"])
    }

    @Test func sessionsAndWhatIsOfNoneDoNotWaitForEachOther() async throws {
        _ = try await ordered()
        try await fixture.webhook()
        for session in ["s", "s", "t", nil, nil] {
            try await fixture.done(fixture.make(session: session).id, .cancel)
        }

        // Each session finishes with each of its downloads: two events each, of which the first goes.
        let due = try await claim()
        #expect(due.count == 2 + 2 + 8)
        #expect(due.count { $0.leads != nil } == 2)
    }

    @Test func aHeadThatFailsKeepsTheOthersForFiveMinutesAndNoLonger() async throws {
        _ = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        try await record(#require(try await claim().first), .retry(at: Fixture.at(7200)))

        let slots = DeliverySlots(free: 9, perWebhook: 9)
        let early = try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: Fixture.at(299))
        let late = try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: Fixture.at(300))

        #expect(early.deliveries.isEmpty && early.next == Fixture.at(300))
        #expect(bodies(late.deliveries) == ["5 download.cancelled"])
        try await record(#require(late.deliveries.first), .succeeded, at: 301)
        // The one that was passed by goes on by its own schedule.
        #expect(try await claim(at: 7199).isEmpty)
        #expect(bodies(try await claim(at: 7200)) == ["3 download.cancelled"])
    }

    /// An attempt may end after the instant that a claim took for now.
    @Test func aHeadThatFailsDuringAClaimKeepsTheOthers() async throws {
        _ = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        let head = try #require(try await claim().first)
        let attempt = Deliveries.attempt(.retry(at: Fixture.at(7200)), at: Fixture.now + .milliseconds(1))

        let next = try await fixture.store.claimDeliveries(
            DeliverySlots(free: 4, perWebhook: 4),
            node: Fixture.node,
            recording: [SentDelivery(head, attempt)],
            now: Fixture.now
        )

        #expect(next.deliveries.isEmpty)
    }

    @Test func aHeadDelaysItsOrderNoLongerAfterTheClockWasSetBack() async throws {
        _ = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        try await record(#require(try await claim().first), .retry(at: Fixture.at(7200)))

        try await fixture.store.releaseStalledDeliveries(now: Fixture.at(-3600))
        // The head is due itself, and keeps those behind it no more.
        #expect(bodies(try await claim(at: -3600)).sorted() == ["3 download.cancelled", "5 download.cancelled"])
    }

    @Test func aHeadThatFailsAgainLaterIsPassedByAtOnce() async throws {
        _ = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        let head = try #require(try await claim().first)
        try await record(head, .retry(at: Fixture.at(5)))
        let again = try #require(try await claim(at: 5).first)
        try await record(again, .retry(at: Fixture.at(900)), at: 301)

        #expect(bodies(try await claim(at: 301)) == ["5 download.cancelled"])
    }

    @Test func anOrderThatIsGivenUpHoldsForWhatWaitsAlready() async throws {
        var webhook = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        webhook.settings.ordering = .none
        _ = try await fixture.store.update(webhook, now: Fixture.now)
        try await fixture.done(fixture.make(session: "s").id, .cancel)

        let due = try await claim()
        #expect(bodies(due).sorted() == ["3 download.cancelled", "7 download.cancelled"])
        try await record(#require(due.first { $0.leads != nil }), .succeeded)
        #expect(bodies(try await claim()) == ["5 download.cancelled"])
    }

    @Test func deliveriesBehindADisabledHeadAreDisabledToo() async throws {
        var webhook = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<3 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        webhook.disabled = Webhook.Disabling(reason: "requested", at: Fixture.now)
        _ = try await fixture.store.update(webhook, now: Fixture.now)
        _ = try await claim()
        _ = try await claim()

        #expect(try fixture.texts("SELECT DISTINCT state FROM delivery") == ["disabled"])
    }

    @Test func aRestartKeepsTheOrder() async throws {
        _ = try await ordered()
        try await fixture.make(session: "s")
        for _ in 0..<2 { try await fixture.done(fixture.make(session: "s").id, .cancel) }
        _ = try await claim()
        try await fixture.store.recoverDeliveries(after: .all, now: Fixture.at(1))

        #expect(bodies(try await claim(at: 1)) == ["3 download.cancelled"])
    }
}
