import Core
import Store
import StoreSupport
import Testing

@Suite struct DeliveryTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// Ends so many downloads, each with a delivery.
    private func end(_ count: Int) async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        for _ in 0..<count { try await fixture.done(fixture.make().id, .cancel) }
    }

    private func claim(
        limit: Int = 10,
        perWebhook: Int = 10,
        at time: Timestamp = Fixture.now
    ) async throws -> [DueDelivery] {
        try await fixture.store.claimDeliveries(limit: limit, perWebhook: perWebhook, now: time)
    }

    @Test func onlyWhatAWebhookReceivesByDefaultIsDelivered() async throws {
        try await fixture.store.configureWebhook(Fixture.url(), now: Fixture.now)
        let claim = try await fixture.claimed(session: "s").claim
        _ = try await fixture.store.recordOutcome(claim, .failed(Fixture.error), madeProgress: false, now: Fixture.now)

        let types = try fixture.texts("SELECT type FROM event JOIN delivery ON delivery.event = seq ORDER BY seq")
        #expect(types == ["download.failed", "session.finished"])
    }

    @Test func withoutAWebhookNothingIsDelivered() async throws {
        try await fixture.done(fixture.make().id, .cancel)

        #expect(try fixture.count("delivery") == 0)
        #expect(try await fixture.store.nextDelivery(now: Fixture.now) == nil)
    }

    @Test func aDueDeliveryCarriesTheStoredBytes() async throws {
        try await end(1)
        #expect(try await fixture.store.nextDelivery(now: Fixture.at(-1)) == Fixture.now)

        let due = try #require(try await claim().first)
        #expect(
            try fixture.value("SELECT CAST(body AS TEXT) FROM event WHERE id = ?", [due.event.text])
                == String(decoding: due.body, as: UTF8.self)
        )
        #expect(due.webhook.settings.url == Fixture.url())
        #expect(due.attemptsMade == 0)
        #expect(try await claim().isEmpty)
        #expect(try await fixture.store.nextDelivery(now: Fixture.at(-1)) == nil)
    }

    @Test func theOldestGoFirstAndNoMoreThanTheLimit() async throws {
        try await end(5)
        let ids = try fixture.texts("SELECT id FROM delivery ORDER BY next_attempt_at, id")

        #expect(try await claim(limit: 2).map(\.id.text) == Array(ids.prefix(2)))
        #expect(try await claim(limit: 0).isEmpty)
    }

    @Test func aWebhookHasNoMoreUnderWayThanItMay() async throws {
        try await end(6)

        let first = try await claim(perWebhook: 1)
        let id = try #require(first.first?.webhook.id)
        var slots = DeliverySlots(free: 9, perWebhook: 9, remaining: [id: 2])
        let second = try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: Fixture.now)
        slots.remaining[id] = 0
        let third = try await fixture.store.claimDeliveries(slots, node: Fixture.node, now: Fixture.now)

        #expect(first.count == 1)
        #expect(second.deliveries.count == 2)
        #expect(third.deliveries.isEmpty)
        #expect(try await claim(limit: 1, perWebhook: 9).count == 1)
        #expect(try await claim(perWebhook: 9).count == 2)
    }

    @Test(
        arguments: [
            (.succeeded, .succeeded), (.retry(at: Fixture.at(60)), .pending), (.exhausted, .failed),
            (.aborted, .aborted), (.disables(.gone), .disabled),
        ] as [(DeliveryAttempt.Result, DeliveryState)]
    )
    func aResultIsRecorded(_ result: DeliveryAttempt.Result, state: DeliveryState) async throws {
        try await end(1)
        let due = try #require(try await claim().first)
        try await fixture.store.recordDelivery(due, Deliveries.attempt(result, at: Fixture.at(1)))

        let states = try fixture.deliveryStates(of: due.event)
        #expect(states.map(\.state) == [state])
        #expect(states.map(\.attempts) == [1])
        #expect(try fixture.count("delivery_attempt WHERE number = 1 AND http_status = 200") == 1)
        #expect(try await claim(at: Fixture.at(59)).isEmpty)
        #expect(try await claim(at: Fixture.at(60)).map(\.attemptsMade) == (state == .pending ? [1] : []))
        #expect(try fixture.value("SELECT enabled FROM webhook") == (state == .disabled ? 0 : 1))
    }

    @Test func theNextClaimRecordsSentDeliveries() async throws {
        try await end(2)
        let first = try #require(try await claim(limit: 1).first)
        let sent = SentDelivery(first, Deliveries.attempt(.succeeded))
        let more = try await fixture.store.claimDeliveries(
            DeliverySlots(free: 1, perWebhook: 1),
            node: Fixture.node,
            recording: [sent],
            now: Fixture.now
        )
        let second = try #require(more.deliveries.first)
        #expect(try fixture.deliveryStates(of: first.event).map(\.state) == [.succeeded])
        #expect(more.disablings.isEmpty)

        let none = try await fixture.store.claimDeliveries(
            DeliverySlots(free: 0, perWebhook: 1),
            node: Fixture.node,
            recording: [SentDelivery(second, Deliveries.attempt(.disables(.gone)))],
            now: Fixture.now
        )
        #expect(none.deliveries.isEmpty && none.disablings == [second.id: .gone])
        #expect(try fixture.deliveryStates(of: second.event).map(\.state) == [.disabled])
    }

    @Test func aRestartMakesWhatWasUnderWayDueAgain() async throws {
        try await end(2)
        let first = try await claim(limit: 1)
        try await fixture.store.recoverDeliveries(after: .all, now: Fixture.at(5))

        #expect(try await claim(at: Fixture.at(5)).count == 2)
        #expect(try fixture.deliveryStates(of: #require(first.first).event).map(\.attempts) == [0])
    }

    @Test func onlyDeliveriesOfLostNodesAreTakenOver() async throws {
        try await end(2)
        let slots = DeliverySlots(free: 1, perWebhook: 9)
        let lost = try await fixture.store.claimDeliveries(slots, node: "lost", now: Fixture.now).deliveries
        _ = try await fixture.store.claimDeliveries(slots, node: "live", now: Fixture.now)
        try await fixture.store.recoverDeliveries(after: .these(["lost", "other"]), now: Fixture.at(5))

        #expect(lost.count == 1)
        #expect(try await claim(at: Fixture.at(5)).map(\.id) == lost.map(\.id))
    }

    /// The node was only slow: another one sends its delivery meanwhile.
    @Test func aLostNodeRecordsNothing() async throws {
        try await end(1)
        let slots = DeliverySlots(free: 1, perWebhook: 1)
        let late = try #require(
            try await fixture.store.claimDeliveries(slots, node: "lost", now: Fixture.now).deliveries.first
        )
        try await fixture.store.recoverDeliveries(after: .these(["lost"]), now: Fixture.at(5))
        let current = try #require(try await claim(at: Fixture.at(5)).first)
        try await fixture.store.recordDelivery(late, Deliveries.attempt(.exhausted))
        #expect(try fixture.deliveryStates(of: late.event).map(\.state) == [.delivering])

        try await fixture.store.recordDelivery(current, Deliveries.attempt(.succeeded))
        try await fixture.store.recordDelivery(current, Deliveries.attempt(.exhausted))
        #expect(try fixture.deliveryStates(of: late.event).map(\.state) == [.succeeded])
    }

    @Test func endedDeliveriesAreNotDueAfterARestart() async throws {
        try await end(1)
        let due = try #require(try await claim().first)
        try await fixture.store.recordDelivery(due, Deliveries.attempt(.succeeded))
        _ = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(5))

        #expect(try await claim(at: Fixture.at(5)).isEmpty)
    }
}
