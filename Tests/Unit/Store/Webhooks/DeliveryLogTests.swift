import Core
import Store
import StoreSupport
import Testing

/// What is told of deliveries, and what is sent again.
@Suite struct DeliveryLogTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func claim(at seconds: Int64 = 0, limit: Int = 10) async throws -> [DueDelivery] {
        try await fixture.store.claimDeliveries(limit: limit, now: Fixture.at(seconds))
    }

    @Test func theNewestComeFirstPageByPage() async throws {
        let webhook = try await fixture.webhook()
        try await fixture.webhook()
        for second in Int64(0)..<5 { try await fixture.end(at: Fixture.at(second)) }
        let ids = try fixture.texts("SELECT id FROM delivery WHERE webhook = ? ORDER BY id DESC", [webhook.id.text])

        let first = try await fixture.store.deliveries(of: webhook.id, DeliveryFilter(), before: nil, limit: 3)
        let second = try await fixture.store.deliveries(
            of: webhook.id,
            DeliveryFilter(),
            before: first.last?.id,
            limit: 3
        )

        #expect((first + second).map(\.id.text) == ids)
        #expect(first.first?.eventAt == Fixture.at(4))
        #expect(first.first?.eventType == .downloadCancelled)
    }

    @Test func aStateFiltersThem() async throws {
        let webhook = try await fixture.webhook()
        try await fixture.end(4)
        let results: [DeliveryAttempt.Result] = [.succeeded, .exhausted, .aborted]
        for (due, result) in zip(try await claim(limit: 3), results) {
            try await fixture.store.recordDelivery(due, Deliveries.attempt(result))
        }
        func states(_ filter: DeliveryState...) async throws -> [DeliveryState] {
            let filter = DeliveryFilter(states: filter)
            return try await fixture.store.deliveries(of: webhook.id, filter, before: nil, limit: 9).map(\.state)
        }

        #expect(try await states(.failed) == [.failed])
        #expect(Set(try await states(.succeeded, .pending)) == [.succeeded, .pending])
        #expect(try await states().count == 4)
        #expect(try await states(.disabled).isEmpty)
    }

    @Test func typesAndTimesFilterThem() async throws {
        let webhook = try await fixture.webhook()
        for second in Int64(0)..<4 { try await fixture.end(session: "s", at: Fixture.at(second)) }
        func found(_ change: (inout DeliveryFilter) -> Void) async throws -> [Int64] {
            var filter = DeliveryFilter()
            change(&filter)
            return try await fixture.store.deliveries(of: webhook.id, filter, before: nil, limit: 9)
                .map { ($0.eventAt - Fixture.now).wholeMilliseconds / 1000 }
        }

        #expect(try await found { $0.types = [.sessionFinished] } == [3, 2, 1, 0])
        #expect(try await found { $0.types = [.downloadFailed] } == [])
        #expect(try await found { $0.since = Fixture.at(2) } == [3, 3, 2, 2])
        #expect(try await found { $0.until = Fixture.at(2) } == [1, 1, 0, 0])
        #expect(
            try await found {
                ($0.types, $0.since, $0.until) = ([.downloadCancelled], Fixture.at(1), Fixture.at(3))
            } == [2, 1]
        )
    }

    @Test func aDeliveryIsShownWithItsBytesAndItsAttempts() async throws {
        let webhook = try await fixture.webhook { $0.form.payload = .thin }
        try await fixture.end()
        let due = try #require(try await claim().first)
        try await fixture.store.recordDelivery(due, Deliveries.attempt(.retry(at: Fixture.at(5)), at: Fixture.at(1)))

        let detail = try #require(try await fixture.store.delivery(due.id, of: webhook.id))

        #expect(detail.body == due.body)
        #expect(String(decoding: detail.body, as: UTF8.self).hasSuffix("thin standard"))
        #expect(detail.delivery.state == .pending && detail.delivery.attempts == 1)
        let attempt = LoggedDeliveryAttempt(
            number: 1,
            Deliveries.attempt(.succeeded, at: Fixture.at(1)).0,
            nextAttemptAt: Fixture.at(5)
        )
        #expect(detail.attempts == [attempt])
    }

    @Test func aDeliveryIsOfItsOwnWebhookAlone() async throws {
        try await fixture.webhook()
        let other = try await fixture.webhook { $0.session = SessionFilter("none") }
        try await fixture.end()
        let id = try #require(try await claim().first?.id)

        #expect(try await fixture.store.delivery(id, of: other.id) == nil)
        guard case .done(.notFound) = try await fixture.store.redeliver(id, of: other.id, now: Fixture.now) else {
            Issue.record("another webhook's delivery is sent")
            return
        }
    }

    // MARK: - Again

    @Test(arguments: [.succeeded, .exhausted, .aborted, .retry(at: Fixture.at(900))] as [DeliveryAttempt.Result])
    func aRedeliveryIsLikeANewDeliveryInEveryState(_ result: DeliveryAttempt.Result) async throws {
        let webhook = try await fixture.webhook()
        try await fixture.end()
        let first = try #require(try await claim().first)
        try await fixture.store.recordDelivery(first, Deliveries.attempt(result))

        guard
            case .done(.scheduled(let delivery)) = try await fixture.store.redeliver(
                first.id,
                of: webhook.id,
                now: Fixture.at(9)
            )
        else {
            Issue.record("it is not sent again")
            return
        }
        let second = try #require(try await claim(at: 9).first)

        #expect(delivery.state == .pending && delivery.nextAttemptAt == Fixture.at(9))
        #expect(second.event == first.event && second.body == first.body)
        #expect(second.attemptsMade == 0 && second.attemptsLogged == 1)
        try await fixture.store.recordDelivery(second, Deliveries.attempt(.succeeded, at: Fixture.at(9)))
        #expect(try await fixture.store.delivery(first.id, of: webhook.id)?.attempts.map(\.number) == [1, 2])
    }

    @Test func aRedeliveryLeavesADeliveryInFlight() async throws {
        let webhook = try await fixture.webhook()
        try await fixture.end()
        let due = try #require(try await claim().first)

        guard
            case .done(.scheduled(let delivery)) = try await fixture.store.redeliver(
                due.id,
                of: webhook.id,
                now: Fixture.now
            )
        else {
            Issue.record("it is refused")
            return
        }
        #expect(delivery.state == .delivering)
        #expect(try await claim().isEmpty)
    }

    @Test func aDisabledWebhookIsSentNothing() async throws {
        var webhook = try await fixture.webhook()
        try await fixture.end()
        let due = try #require(try await claim().first)
        webhook.disabled = Webhook.Disabling(reason: "requested", at: Fixture.now)
        _ = try await fixture.store.update(webhook, now: Fixture.now)

        guard case .done(.disabled) = try await fixture.store.redeliver(due.id, of: webhook.id, now: Fixture.now),
            case .done(.disabled) = try await fixture.store.ping(webhook.id, now: Fixture.now)
        else {
            Issue.record("something is sent")
            return
        }
        let recovered = try await fixture.store.recoverDeliveries(
            of: webhook.id,
            .disabled,
            Fixture.now..<Fixture.at(9),
            limit: 9,
            now: Fixture.now
        )
        #expect(recovered == nil)
        // What was under way is put aside with its end.
        try await fixture.store.recordDelivery(due, Deliveries.attempt(.retry(at: Fixture.at(5))))
        #expect(try fixture.texts("SELECT state FROM delivery") == ["disabled"])
    }

    @Test func aRecoveryIsOfATimeAndAState() async throws {
        let webhook = try await fixture.webhook()
        for second in Int64(0)..<6 { try await fixture.end(at: Fixture.at(second)) }
        for (index, due) in try await claim(at: 9).enumerated() {
            try await fixture.store.recordDelivery(due, Deliveries.attempt(index == 3 ? .succeeded : .exhausted))
        }
        func recover(limit: Int) async throws -> Int? {
            try await fixture.store.recoverDeliveries(
                of: webhook.id,
                .failed,
                Fixture.at(1)..<Fixture.at(5),
                limit: limit,
                now: Fixture.at(20)
            )
        }

        #expect(try await recover(limit: 2) == 2)
        #expect(try await recover(limit: 2) == 1)
        #expect(try await recover(limit: 2) == 0)
        #expect(try await claim(at: 20).count == 3)
        #expect(
            try fixture.texts("SELECT state FROM delivery ORDER BY id") == [
                "failed", "delivering", "delivering", "succeeded", "delivering", "failed",
            ]
        )
    }

    @Test func aPingIsAnEventForOneWebhook() async throws {
        let webhook = try await fixture.webhook { $0.session = SessionFilter("none") }
        try await fixture.webhook { $0.eventTypes = [EventPattern("*")].compactMap(\.self) }

        guard case .done(.scheduled(let delivery)) = try await fixture.store.ping(webhook.id, now: Fixture.now) else {
            Issue.record("it is not sent")
            return
        }

        let due = try await claim()
        #expect(due.map(\.id) == [delivery.id] && due.map(\.webhook.id) == [webhook.id])
        #expect(delivery.eventType == .webhookPing)
        #expect(try fixture.count("event WHERE type = 'webhook.ping'") == 1)
    }
}
