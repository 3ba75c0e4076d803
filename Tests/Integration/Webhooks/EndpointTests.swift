import API
import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

/// Webhooks of clients, from `POST /webhooks` to a real receiver.
@Suite(.hangLimit)
struct EndpointTests {
    /// A service whose downloads complete at once, and that lets webhooks be on http.
    private static func with(
        _ change: (inout TestService.Options) -> Void = { _ in },
        _ body: (TestService, _ file: String) async throws -> Void
    ) async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        let options = TestService.Options.with { options in
            options.jobs.webhooks.allowsHTTP = true
            change(&options)
        }
        try await withService(options) { try await body($0, origin.url("/a.bin")) }
    }

    private static func receiver(_ script: [Behaviour] = [.page(204)]) -> Origin {
        Origin(Content(size: 100), script: script)
    }

    /// Makes a webhook.
    private static func make(
        _ service: TestService,
        _ receiver: Origin,
        _ members: String = ""
    ) async throws -> (path: String, secret: WebhookSecret) {
        let body = #"{"url":"\#(receiver.url("/hook"))"\#(members)}"#
        let json = try await service.send("POST", "/webhooks", body).json
        let path = try #require(json["links"]?["self"]?.text, "\(json.canonical)")
        return (path, try #require(WebhookSecret(json["secret"]?.text ?? "")))
    }

    private static func isSigned(_ delivery: ReceivedDelivery, by secret: WebhookSecret) -> Bool {
        let signature = secret.signature(id: delivery.id, timestamp: delivery.timestamp, body: delivery.request.body)
        return delivery.signature.split(separator: " ").contains { $0 == signature }
    }

    private static func deliveries(
        _ service: TestService,
        _ path: String,
        _ query: String = ""
    ) async throws -> [JSONValue] {
        try await service.send("GET", "\(path)/deliveries\(query)").json["items"]?.items ?? []
    }

    // MARK: - What is sent

    @Test func eachWebhookIsSentTheEventSignedWithItsOwnSecret() async throws {
        let receivers = [Self.receiver(), Self.receiver()]
        defer { for receiver in receivers { receiver.stop() } }
        try await Self.with { service, file in
            let secrets = [
                try await Self.make(service, receivers[0]).secret, try await Self.make(service, receivers[1]).secret,
            ]
            try await service.add(file)

            var received: [ReceivedDelivery] = []
            for receiver in receivers { received.append(try #require(await receiver.deliveries(atLeast: 1).first)) }
            #expect(received[0].id == received[1].id && received[0].request.body == received[1].request.body)
            #expect(Self.isSigned(received[0], by: secrets[0]) && Self.isSigned(received[1], by: secrets[1]))
            #expect(!Self.isSigned(received[0], by: secrets[1]))
        }
    }

    @Test func headersGoWithEachDeliveryAndCloudEventsAreSignedTheSameWay() async throws {
        let receiver = Self.receiver()
        defer { receiver.stop() }
        try await Self.with { service, file in
            let fields = #"{"X-Tenant":"a","Authorization":"Bearer b"}"#
            let members = #","format":"cloudevents","payload":"thin","request_headers":\#(fields)"#
            let secret = try await Self.make(service, receiver, members).secret
            let id = try await service.add(file)
            let delivery = try #require(await receiver.deliveries(atLeast: 1).first)

            #expect(delivery.request.value(of: "content-type") == "application/cloudevents+json")
            #expect(delivery.request.value(of: "x-tenant") == "a")
            #expect(delivery.request.value(of: "authorization") == "Bearer b")
            #expect(Self.isSigned(delivery, by: secret))
            #expect(delivery.json["id"]?.text == delivery.id && delivery.json["subject"]?.text == id)
            #expect(delivery.data.names == ["id", "session", "state", "links", "seq"])
            #expect(
                Contract.shared.violations(delivery.json, schema: "CloudEvent").filter { !$0.contains("/data/") } == []
            )
        }
    }

    @Test func afterARotationBothSecretsVerifyUntilTheOldOneExpires() async throws {
        let receiver = Self.receiver()
        defer { receiver.stop() }
        try await Self.with { service, file in
            let (path, old) = try await Self.make(service, receiver)
            let response = try await service.send("POST", "\(path)/rotate-secret", #"{"grace_seconds":3600}"#)
            let new = try #require(WebhookSecret(try response.json["secret"]?.text ?? ""))
            try await service.add(file)
            _ = await receiver.deliveries(atLeast: 1)
            service.time.advance(by: .seconds(3600))
            try await service.add(file)
            let deliveries = await receiver.deliveries(atLeast: 2)

            #expect(Self.isSigned(deliveries[0], by: old) && Self.isSigned(deliveries[0], by: new))
            #expect(!Self.isSigned(deliveries[1], by: old) && Self.isSigned(deliveries[1], by: new))
            #expect(deliveries[1].signature.split(separator: " ").count == 1)
        }
    }

    @Test func aCallbackURLIsSignedWithTheSecretOfTheSettings() async throws {
        let receiver = Self.receiver()
        defer { receiver.stop() }
        try await Self.with {
            $0.jobs.allowsCallbacks = true
        } _: { service, file in
            let callback = #","callback_url":"\#(receiver.url("/call"))""#
            let id = try await service.add(file, callback)
            try await service.add(file)
            let delivery = try #require(await receiver.deliveries(atLeast: 1).first)
            let secret = try #require(WebhookSecret(TestService.secretText))

            #expect(Self.isSigned(delivery, by: secret))
            #expect(delivery.type == "download.completed" && delivery.data["id"]?.text == id)
            #expect(delivery.request.target == "/call")
        }
    }

    @Test func aNamedWebhookIsSentWhatItsFilterWouldLeaveOut() async throws {
        let receiver = Self.receiver()
        defer { receiver.stop() }
        try await Self.with { service, file in
            let path = try await Self.make(service, receiver, #","session_filter":"none","ordering":"session""#).path
            let named = #""webhook_ids":["\#(path.split(separator: "/")[1])"]"#
            try await service.add(file)
            let id = try await service.add(file, ",\(named)")
            #expect(await receiver.deliveries(atLeast: 1).first?.data["id"]?.text == id)
            #expect(try await service.send("PUT", "/sessions/s", "{\(named)}").status == 201)
            try await service.add(file, #","session":"s""#)

            let types = await receiver.deliveries(atLeast: 3).map(\.type)
            #expect(types == ["download.completed", "download.completed", "session.finished"])
        }
    }

    @Test func aDestinationThatIsForbiddenByNowIsNotSpokenTo() async throws {
        let receiver = Self.receiver()
        defer { receiver.stop() }
        let folder = TemporaryFolder()
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        let allowed = TestService.Options.with { $0.jobs.webhooks.allowsHTTP = true }
        // By its name: which address it leads to is known when it is connected to.
        let url = "http://localhost:\(receiver.port)/hook"
        let path = try await withService(allowed, folder: folder) { service in
            let response = try await service.send("POST", "/webhooks", #"{"url":"\#(url)"}"#)
            return try #require(response["location"])
        }
        let limited = TestService.Options.with { options in
            options.jobs.webhooks = .init(policy: .publicOnly(allowances: []), allowsHTTP: true)
        }

        try await withService(limited, folder: folder) { service in
            try await service.add(origin.url("/a"))
            let delivery = try await service.waitForDeliveries {
                try await Self.deliveries(service, path).first { $0["counters"]?["attempt"]?.integer == 1 }
            }
            let detail = try await service.send("GET", try #require(delivery["links"]?["self"]?.text)).json
            // Or its client could find out which names the network of the service has.
            let error = detail["attempts"]?.items.first?["error"]?.text
            #expect(error == "curl(6): Could not resolve host: localhost")
            try await service.logs.line(with: "destination_forbidden")
            #expect(detail["attempts"]?.items.first?["remote_address"] == .null)
        }
        #expect(receiver.requests.isEmpty && receiver.connectionCount == 0)
    }

    // MARK: - Apart from each other

    @Test func aReceiverThatHangsDelaysNoOther() async throws {
        let gate = Signal()
        let hanging = Self.receiver([.pace(.stallBeforeHead(until: gate))])
        let good = Self.receiver()
        defer { for receiver in [hanging, good] { receiver.stop() } }
        try await Self.with { service, file in
            _ = try await Self.make(service, hanging)
            _ = try await Self.make(service, good)
            for _ in 0..<20 { try await service.add(file) }

            #expect(await good.deliveries(atLeast: 20).count == 20)
            #expect(await hanging.requests(atLeast: 4).count == 4)
            gate.fire()
            #expect(Set(await hanging.deliveries(atLeast: 20).map(\.id)).count == 20)
        }
    }

    @Test func onlyTheReceiverThatIsOverloadedCountsAsSlow() async throws {
        let gate = Signal()
        let busy = Self.receiver([.unavailable(retryAfter: "1"), .pace(.stallBeforeHead(until: gate))])
        let good = Self.receiver([.pace(.stallBeforeHead(until: gate))])
        defer { for receiver in [busy, good] { receiver.stop() } }
        try await Self.with { service, file in
            let path = try await Self.make(service, busy).path
            try await service.add(file)
            try await service.waitForDeliveries {
                try await service.send("GET", path).json["stats"]?["failed"]?.integer == 1 ? () : nil
            }
            _ = try await Self.make(service, good)
            for _ in 0..<8 { try await service.wait(try await service.add(file), .completed) }

            #expect(await good.requests(atLeast: 4).count == 4)
            #expect(await busy.requests(atLeast: 2).count == 2)
            gate.fire()
            _ = await good.requests(atLeast: 8)
        }
    }

    @Test func aRateIsKept() async throws {
        let receiver = Self.receiver()
        defer { receiver.stop() }
        try await Self.with { service, file in
            _ = try await Self.make(service, receiver, #","rate_limit_per_second":2"#)
            for _ in 0..<5 { try await service.wait(try await service.add(file), .completed) }
            await receiver.requests(atLeast: 2)
            let start = service.time.now
            try await service.advanceClock(by: .milliseconds(100)) { receiver.requests.count == 5 ? () : nil }

            // Two at once, and then one in each half of a second.
            #expect(service.time.now - start >= .milliseconds(1400))
        }
    }

    @Test func theEventsOfASessionComeInTheirOrder() async throws {
        let receiver = Self.receiver([.page(500), .page(204)])
        defer { receiver.stop() }
        try await Self.with { service, file in
            _ = try await Self.make(service, receiver, #","ordering":"session","types":["*"]"#)
            for _ in 0..<4 { try await service.add(file, #","session":"s""#) }
            try await service.advanceClock(by: .milliseconds(500)) {
                receiver.deliveries.contains { $0.type == "session.finished" && $0.data["epoch"] != nil }
                    && receiver.deliveries.count { $0.type == "download.completed" } == 4 ? () : nil
            }

            // The first one came twice; after that each is the next.
            let numbers = receiver.deliveries.map(\.sequence)
            #expect(numbers[0] == numbers[1])
            #expect(Array(numbers.dropFirst()) == numbers.dropFirst().sorted())
        }
    }

    // MARK: - Disabled, and sent again

    @Test func theOthersAreToldOfAWebhookThatIsGone() async throws {
        let gone = Self.receiver([.page(410)])
        let other = Self.receiver()
        defer { for receiver in [gone, other] { receiver.stop() } }
        try await Self.with { service, file in
            let path = try await Self.make(service, gone).path
            _ = try await Self.make(service, other)
            try await service.add(file)
            let told = await other.deliveries(atLeast: 2)

            let event = try #require(told.first { $0.type == "webhook.disabled" })
            #expect(event.data["disabled_reason"]?.text == "gone")
            #expect("/webhooks/\(event.data["id"]?.text ?? "")" == path)
            #expect(Contract.shared.violations(event.json, schema: "WebhookEvent") == [])
            #expect(try await service.send("GET", path).json["enabled"]?.bool == false)
            #expect(try await service.logs.line(with: "warning webhook disabled").contains("gone"))
        }
    }

    @Test func deliveriesOfADisabledWebhookReturnByRecovery() async throws {
        let gate = Signal()
        let receiver = Self.receiver([.page(500), .page(500), .page(204)])
        defer {
            gate.fire()
            receiver.stop()
        }
        try await Self.with { service, file in
            let path = try await Self.make(service, receiver).path
            for _ in 0..<2 { try await service.wait(try await service.add(file), .completed) }
            await receiver.requests(atLeast: 2)
            _ = try await service.send("PATCH", path, #"{"enabled":false}"#)
            try await service.wait(try await service.add(file), .completed)
            try await poll("2 disabled deliveries", because: .quietCommit) {
                try await Self.deliveries(service, path, "?state=disabled").count
            } is: {
                $0 == 2
            }
            _ = try await service.send("PATCH", path, #"{"enabled":true}"#)
            service.time.advance(by: .seconds(3600))
            let sent = try await service.send("POST", "\(path)/recover", #"{"created_after":"2025-12-31T23:00:00Z"}"#)
            let deliveries = await receiver.deliveries(atLeast: 4)

            #expect(sent.status == 202)
            #expect(try sent.json["scheduled"]?.integer == 2)
            #expect(Set(deliveries.map(\.id)).count == 2)
            #expect(receiver.requests.count == 4)
        }
    }

    @Test func aRecoveryOfWhatIsNotKeptIsRefused() async throws {
        let receiver = Self.receiver()
        defer { receiver.stop() }
        try await Self.with { service, _ in
            let path = try await Self.make(service, receiver).path
            let old = try await service.send("POST", "\(path)/recover", #"{"created_after":"2025-11-01T00:00:00Z"}"#)
            let odd = try await service.send("POST", "\(path)/recover", #"{"created_after":"2027-01-01T00:00:00Z"}"#)

            #expect([old, odd].allSatisfy { $0.status == 422 && $0.text.contains(#""/created_after""#) })
        }
    }

    @Test func aDeliveryThatWasTakenIsSentAgainWithTheSameId() async throws {
        let receiver = Self.receiver([Behaviour { ($0.response, $0.size) = (.page(status: 200), 5000) }])
        defer { receiver.stop() }
        try await Self.with { service, file in
            let path = try await Self.make(service, receiver, #","request_headers":{"X-Tenant":"canary"}"#).path
            try await service.add(file)
            let delivery = try await service.waitForDeliveries {
                try await Self.deliveries(service, path, "?state=succeeded").first?["links"]?["self"]?.text
            }
            let again = try await service.send("POST", "\(delivery)/redeliver")
            let deliveries = await receiver.deliveries(atLeast: 2)
            let detail = try await service.waitForDeliveries {
                let json = try await service.send("GET", delivery).json
                return json["attempts"]?.items.count == 2 ? json : nil
            }

            #expect(again.status == 202 && again["location"] == delivery)
            #expect(deliveries[0].id == deliveries[1].id && deliveries[0].request.body == deliveries[1].request.body)
            #expect(detail["body"]?.text == String(decoding: deliveries[0].request.body, as: UTF8.self))
            #expect(detail["attempts"]?.items.map { $0["number"]?.integer } == [1, 2])
            #expect(detail["attempts"]?.items.first?["remote_address"]?.text == "127.0.0.1")
            #expect(detail["attempts"]?.items.first?["http_status"]?.integer == 200)
            let sent = try #require(detail["attempts"]?.items.last?["request_headers"])
            #expect(sent["webhook-id"]?.text == deliveries[1].id)
            #expect(sent["webhook-timestamp"]?.text == "\(deliveries[1].timestamp)")
            #expect(sent["webhook-signature"]?.text == "REDACTED" && sent["X-Tenant"]?.text == "REDACTED")
            #expect(Contract.shared.violations(detail, schema: "DeliveryDetail") == [])
        }
    }

    @Test func aPingArrivesAtThatOneWebhook() async throws {
        let receivers = [Self.receiver(), Self.receiver()]
        defer { for receiver in receivers { receiver.stop() } }
        try await Self.with { service, file in
            let path = try await Self.make(service, receivers[0], #","types":["download.deleted"]"#).path
            _ = try await Self.make(service, receivers[1], #","types":["*"]"#)
            let response = try await service.send("POST", "\(path)/ping")
            let ping = try #require(await receivers[0].deliveries(atLeast: 1).first)

            #expect(response.status == 202 && response["location"]?.hasPrefix("\(path)/deliveries/") == true)
            #expect(ping.type == "webhook.ping")
            #expect(Contract.shared.violations(ping.json, schema: "WebhookEvent") == [])
            #expect(receivers[1].requests.isEmpty)
        }
    }

    @Test func aBacklogGoesToTheURLThatTheWebhookHasNow() async throws {
        let (old, new) = (Self.receiver([.page(500)]), Self.receiver())
        defer { for receiver in [old, new] { receiver.stop() } }
        try await Self.with { service, file in
            let path = try await Self.make(service, old).path
            try await service.add(file)
            try await service.waitForDeliveries {
                try await service.send("GET", path).json["stats"]?["failed"]?.integer == 1 ? () : nil
            }
            _ = try await service.send("PATCH", path, #"{"url":"\#(new.url("/hook"))"}"#)
            try await service.advanceClock(by: .seconds(1)) { new.requests.isEmpty ? nil : () }

            #expect(old.requests.count == 1)
            #expect(new.deliveries.map(\.id) == old.deliveries.map(\.id))
        }
    }

    @Test func aDeletedWebhookIsSentNothingMore() async throws {
        let receiver = Self.receiver([.page(500)])
        defer { receiver.stop() }
        try await Self.with { service, file in
            let path = try await Self.make(service, receiver).path
            try await service.add(file)
            try await service.waitForDeliveries {
                try await service.send("GET", path).json["stats"]?["failed"]?.integer == 1 ? () : nil
            }
            #expect(try await service.send("DELETE", path).status == 204)
            service.time.advance(by: .seconds(86_400))
            try await service.wait(try await service.add(file), .completed)
            try await poll("no pending delivery", because: .quietCommit) {
                try await !service.store.isAnyDeliveryPending()
            }

            #expect(receiver.requests.count == 1)
        }
    }
}
