import API
import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

/// Events on their way to a real receiver.
@Suite(.hangLimit)
struct DeliveryTests {
    /// A service whose downloads complete at once, and a receiver that answers as scripted.
    private static func with(
        _ script: [Behaviour],
        _ body: (TestService, Origin, _ file: String) async throws -> Void
    ) async throws {
        let origin = Origin(Content(size: 100))
        let receiver = Origin(Content(size: 50 << 20), script: script)
        defer {
            origin.stop()
            receiver.stop()
        }
        try await withService(.with { $0.webhookURL = receiver.url("/hook") }) { service in
            try await body(service, receiver, origin.url("/a.bin"))
        }
    }

    /// Waits until the one delivery of an event has come to `state`.
    private static func wait(_ service: TestService, _ event: String, _ state: DeliveryState) async throws -> Int {
        let id = try #require(EventID(event))
        return try await service.wait(for: .attempts) {
            let deliveries = try await service.store.deliveryStates(of: id)
            return deliveries.first.flatMap { $0.state == state ? $0.attempts : nil }
        }
    }

    @Test func anEventArrivesOnceSignedAndAsDescribed() async throws {
        try await Self.with([.page(204)]) { service, receiver, file in
            try await service.add(file)
            let delivery = try #require(await receiver.deliveries(atLeast: 1).first)
            let secret = try #require(WebhookSecret(TestService.secretText))

            #expect(delivery.request.method == "POST")
            #expect(delivery.request.target == "/hook")
            #expect(delivery.request.value(of: "content-type") == "application/json")
            #expect(delivery.request.value(of: "user-agent") == "Cormorant/test")
            #expect(delivery.timestamp == service.time.now.seconds)
            #expect(
                delivery.signature
                    == secret.signature(id: delivery.id, timestamp: delivery.timestamp, body: delivery.request.body)
            )
            #expect(delivery.type == "download.completed")
            #expect(Contract.shared.violations(delivery.json, schema: "DownloadEvent") == [])
            #expect(try await Self.wait(service, delivery.id, .succeeded) == 1)
            #expect(receiver.requests.count == 1)
        }
    }

    @Test func anOutcomeThatTheStoreRefusesIsRecordedLaterAndNothingIsSentAgain() async throws {
        try await Self.with([.page(204)]) { service, receiver, file in
            try await service.store.execute(
                """
                CREATE TEMP TRIGGER refuses BEFORE UPDATE OF state ON main.delivery WHEN NEW.state = 'succeeded'
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """
            )
            try await service.add(file)
            try await service.logs.line(with: "outcome not recorded")
            let id = try #require(receiver.deliveries.first?.id)
            #expect(try await Self.wait(service, id, .delivering) == 0)

            try await service.store.execute("DROP TRIGGER temp.refuses")
            let attempts = try await service.advanceClock(by: .seconds(1)) {
                let deliveries = try await service.store.deliveryStates(of: #require(EventID(id)))
                return deliveries.first.flatMap { $0.state == .succeeded ? $0.attempts : nil }
            }

            #expect(attempts == 1)
            #expect(receiver.requests.count == 1)
        }
    }

    @Test func aFailedDeliveryIsRepeatedWithTheSameIDAndBytesAndANewSignature() async throws {
        try await Self.with([.page(500), .page(400), .page(204)]) { service, receiver, file in
            try await service.add(file)
            try await service.advanceClock(by: .seconds(2)) { receiver.requests.count == 3 ? () : nil }
            let deliveries = receiver.deliveries
            let secret = try #require(WebhookSecret(TestService.secretText))

            #expect(Set(deliveries.map(\.id)).count == 1)
            #expect(Set(deliveries.map(\.request.body)).count == 1)
            #expect(deliveries[1].timestamp - deliveries[0].timestamp >= 5)
            #expect(deliveries[2].timestamp - deliveries[1].timestamp >= 240)
            for delivery in deliveries {
                let signature = secret.signature(
                    id: delivery.id,
                    timestamp: delivery.timestamp,
                    body: delivery.request.body
                )
                #expect(delivery.signature == signature)
            }
            #expect(try await Self.wait(service, deliveries[0].id, .succeeded) == 3)
        }
    }

    private static func failure(_ service: TestService) async throws -> String {
        try await service.logs.line(with: "delivery failed")
    }

    @Test func aFailureIsLoggedWithTheStatusOfItsAnswer() async throws {
        try await Self.with([.page(500)]) { service, receiver, file in
            try await service.add(file)
            let line = try await Self.failure(service)

            #expect(line.contains(#""http.response.status_code": 500"#))
            #expect(!line.contains(#""error""#))
        }
    }

    @Test func aFailureWithoutAnAnswerIsLoggedWithItsCause() async throws {
        try await Self.with([Behaviour { $0.ending = .closedAtOnce(by: .reset) }]) { service, receiver, file in
            try await service.add(file)
            let line = try await Self.failure(service)

            #expect(!line.contains("status_code"))
            #expect(line.contains(#""error""#))
        }
    }

    /// When the one delivery is tried again, once it was so often.
    private static func next(_ service: TestService, after attempts: Int) async throws -> Timestamp? {
        guard let webhook = try await service.store.webhooks(after: nil, limit: 1).first?.webhook.id else { return nil }
        let delivery = try await service.store.deliveries(
            of: webhook,
            DeliveryFilter(states: [.pending]),
            before: nil,
            limit: 1
        ).first
        return delivery.flatMap { $0.attempts == attempts ? $0.nextAttemptAt : nil }
    }

    @Test func afterTheTenthFailureADeliveryIsGivenUp() async throws {
        try await Self.with([.page(500)]) { service, receiver, file in
            try await service.add(file)
            let start = service.time.now
            await receiver.requests(atLeast: 1)
            for count in 1..<10 {
                // Not much further, since days without a success would disable the webhook.
                let next = try await service.waitForDeliveries { try await Self.next(service, after: count) }
                service.time.advance(by: next - service.time.now)
                try await service.advanceClock(by: .seconds(1)) { receiver.requests.count > count ? () : nil }
            }
            let id = try #require(await receiver.deliveries(atLeast: 10).first?.id)

            #expect(try await Self.wait(service, id, .failed) == 10)
            #expect(service.time.now >= start + .seconds(60 * 3600))
        }
    }

    @Test func aReceiverThatAsksForTimeGetsIt() async throws {
        try await Self.with([.unavailable(retryAfter: "7200"), .page(204)]) { service, receiver, file in
            try await service.add(file)
            try await service.advanceClock(by: .seconds(30)) { receiver.requests.count == 2 ? () : nil }
            let deliveries = receiver.deliveries

            #expect(deliveries[1].timestamp - deliveries[0].timestamp >= 7200)
        }
    }

    @Test(arguments: [
        (Behaviour.page(410), DeliveryState.disabled),
        (Behaviour { ($0.response, $0.extraFields) = (.page(status: 200), ["webhook-delivery: disable"]) }, .disabled),
    ])
    func aReceiverThatWantsNoMoreGetsNoMoreUntilItIsEnabledAgain(
        _ response: Behaviour,
        _ state: DeliveryState
    ) async throws {
        try await Self.with([response, .page(204)]) { service, receiver, file in
            let first = try await service.add(file)
            let refused = try #require(await receiver.deliveries(atLeast: 1).first)
            #expect(try await Self.wait(service, refused.id, state) == 1)
            let second = try await service.add(file)
            try await service.wait(second, .completed)

            let url = try #require(service.options.webhookURL)
            try await service.store.configureWebhook(try DownloadURL.test(url), now: service.time.now)
            let third = try await service.add(file)
            let deliveries = await receiver.deliveries(atLeast: 2)

            #expect(deliveries.map { $0.data["id"]?.text } == [first, third])
        }
    }

    @Test func aReceiverMayRefuseOneEventForGood() async throws {
        let refusal = Behaviour {
            ($0.response, $0.extraFields) = (.page(status: 500), ["webhook-delivery: abort-message"])
        }
        try await Self.with([refusal, .page(204)]) { service, receiver, file in
            try await service.add(file)
            let refused = try #require(await receiver.deliveries(atLeast: 1).first)
            #expect(try await Self.wait(service, refused.id, .aborted) == 1)

            service.time.advance(by: .seconds(3600))
            try await service.add(file)

            #expect(await receiver.deliveries(atLeast: 2)[1].id != refused.id)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsNeverFollowed(_ status: Int) async throws {
        let other = Origin()
        defer { other.stop() }
        try await Self.with([.redirect(status, to: other.url("/hook")), .page(204)]) { service, receiver, file in
            try await service.add(file)
            try await service.advanceClock(by: .seconds(1)) { receiver.requests.count == 2 ? () : nil }

            #expect(Set(receiver.deliveries.map(\.id)).count == 1)
            #expect(other.connectionCount == 0)
        }
    }

    @Test(arguments: [
        Behaviour { $0.ending = .closedAtOnce(by: .reset) }, Behaviour { $0.ending = .closedAtOnce(by: .fin) },
    ])
    func aConnectionThatBreaksAfterTheRequestMeansSendingItAgain(_ breaking: Behaviour) async throws {
        try await Self.with([breaking, .page(204)]) { service, receiver, file in
            try await service.add(file)
            try await service.advanceClock(by: .seconds(1)) { receiver.requests.count == 2 ? () : nil }

            #expect(Set(receiver.deliveries.map(\.id)).count == 1)
            #expect(Set(receiver.deliveries.map(\.request.body)).count == 1)
        }
    }

    @Test(arguments: [
        Behaviour.good, .framing(.chunked), .dropping(after: 100_000), .dropping(after: 10, by: .reset),
    ])
    func theStatusDecidesWhateverBodyFollows(_ response: Behaviour) async throws {
        try await Self.with([response]) { service, receiver, file in
            try await service.add(file)
            let delivery = try #require(await receiver.deliveries(atLeast: 1).first)

            #expect(try await Self.wait(service, delivery.id, .succeeded) == 1)
        }
    }

    @Test func noMoreThanFourAreUnderWayToOneReceiver() async throws {
        let gate = Signal()
        try await Self.with([.pace(.stallBeforeHead(until: gate))]) { service, receiver, file in
            for _ in 0..<10 { try await service.wait(try await service.add(file), .completed) }
            await receiver.requests(atLeast: 4)

            // What is due beyond them is left alone, though the dispatcher was told of it.
            #expect(try await service.store.isAnyDeliveryPending())
            #expect(receiver.requests.count == 4)
            gate.fire()
            #expect(Set(await receiver.deliveries(atLeast: 10).map(\.id)).count == 10)
        }
    }

    @Test func aReceiverThatNeverAnswersIsAskedAgain() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 100))
        let receiver = Origin(script: [.pace(.stallBeforeHead(until: gate)), .page(204)])
        defer {
            gate.fire()
            origin.stop()
            receiver.stop()
        }
        let options = TestService.Options.with {
            $0.webhookURL = receiver.url("/hook")
            $0.webhookTimeout = .milliseconds(200)
        }
        try await withService(options) { service in
            try await service.wait(try await service.add(origin.url("/a")), .completed)
            await receiver.requests(atLeast: 1)
            try await service.advanceClock(by: .seconds(1)) { receiver.requests.count >= 2 ? () : nil }
        }

        let deliveries = receiver.deliveries
        #expect(Set(deliveries.map(\.id)).count == 1)
    }

    @Test func anEventOutlivesItsDownload() async throws {
        try await Self.with([.page(500), .page(204)]) { service, receiver, file in
            let id = try await service.add(file)
            await receiver.requests(atLeast: 1)
            #expect(try await service.send("DELETE", "/downloads/\(id)").status == 204)

            try await service.advanceClock(by: .seconds(1)) { receiver.requests.count == 2 ? () : nil }

            #expect(receiver.deliveries[1].data["id"]?.text == id)
            #expect(receiver.deliveries[1].id == receiver.deliveries[0].id)
        }
    }

    @Test func failuresAndCancellationsAreToldToo() async throws {
        let origin = Origin(Content(size: 100), script: [.page(400)])
        defer { origin.stop() }
        try await Self.with([.page(204)]) { service, receiver, _ in
            let failed = try await service.add(origin.url("/a"))
            await receiver.requests(atLeast: 1)
            let cancelled = try await service.add(origin.url("/b"), #","start":false"#)
            try await service.act("cancel", on: cancelled)
            let deliveries = await receiver.deliveries(atLeast: 2)

            #expect(deliveries.map(\.type) == ["download.failed", "download.cancelled"])
            #expect(deliveries.map { $0.data["id"]?.text } == [failed, cancelled])
            #expect(deliveries[0].data["error"]?["code"]?.text == "http_client_error")
        }
    }

    @Test func withoutAWebhookNothingIsDue() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            try await service.wait(try await service.add(origin.url("/a")), .completed)

            #expect(try await !service.store.isAnyDeliveryPending())
        }
    }
}

extension DownloadURL {
    /// The address of a test's receiver: `http://127.0.0.1:port/path`.
    static func test(_ text: String) throws -> DownloadURL {
        let parts = text.dropFirst("http://".count).split(separator: "/", maxSplits: 1)
        let port = parts[0].split(separator: ":").last.flatMap { UInt16($0) } ?? 80
        return DownloadURL(text: text, scheme: "http", host: "127.0.0.1", port: port, path: "/\(parts[1])")
    }
}
