import API
import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

/// `Idempotency-Key` on what is asked of webhooks.
@Suite(.hangLimit)
struct IdempotentWebhookTests {
    private static let body = #"{"url":"https://hook.example/"}"#
    private static let key = [("Idempotency-Key", "k")]

    private static func with(
        _ options: TestService.Options = .with { $0.runsScheduler = false },
        _ body: (TestService) async throws -> Void
    ) async throws {
        try await withService(options) { try await body($0) }
    }

    private static func make(_ service: TestService) async throws -> String {
        try #require(try await service.request("POST", "/webhooks", Self.body)["location"])
    }

    private static func expectReplay(_ first: ReceivedResponse, _ second: ReceivedResponse, _ status: Int) {
        #expect(first.status == status && second.status == status)
        #expect(first["idempotency-replayed"] == nil && second["idempotency-replayed"] == "true")
        #expect(second.body == first.body)
        #expect(second["location"] == first["location"])
        #expect(second["etag"] == first["etag"])
        #expect(second["accept-patch"] == first["accept-patch"])
    }

    @Test func aWebhookIsMadeOnceAndItsSecretIsShownToTheRepetition() async throws {
        try await Self.with { service in
            let first = try await service.request("POST", "/webhooks", Self.body, fields: Self.key)
            let second = try await service.request("POST", "/webhooks", Self.body, fields: Self.key)

            Self.expectReplay(first, second, 201)
            #expect(try first.json["secret"]?.text?.hasPrefix("whsec_") == true)
            #expect(try await service.request("GET", "/webhooks").json["items"]?.items.count == 1)
        }
    }

    @Test func ofManyAtOnceOneMakesTheWebhook() async throws {
        try await Self.with { service in
            let responses = try await withThrowingTaskGroup(of: ReceivedResponse.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await service.send("POST", "/webhooks", Self.body, fields: Self.key) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(responses.allSatisfy { $0.status == 201 })
            #expect(Set(responses.map(\.body)).count == 1)
            #expect(try await service.request("GET", "/webhooks").json["items"]?.items.count == 1)
        }
    }

    @Test func anotherRequestWithTheKeyIsAMistake() async throws {
        try await Self.with { service in
            _ = try await service.request("POST", "/webhooks", Self.body, fields: Self.key)
            let other = try await service.request("POST", "/webhooks", Self.body + " ", fields: Self.key)

            #expect(other.status == 422 && other.problem == "idempotency-key-reused")
        }
    }

    /// The database holds no secret in clear, and a backup of it neither.
    @Test func noAnswerThatCarriesASecretIsKeptInClear() async throws {
        try await Self.with { service in
            let made = try await service.request("POST", "/webhooks", Self.body, fields: Self.key)
            let path = try #require(made["location"])
            let rotated = try await service.request("POST", "\(path)/rotate-secret", "{}", fields: Self.key)
            let secrets = [try #require(try made.json["secret"]?.text), try #require(try rotated.json["secret"]?.text)]
            let files = ["cormorant.db", "cormorant.db-wal"].map { service.folder.read($0) }

            for secret in secrets {
                for file in files { #expect(!file.contains(Array(secret.utf8))) }
            }
        }
    }

    @Test func aSecretIsRotatedOnce() async throws {
        try await Self.with { service in
            let path = try await Self.make(service)
            let first = try await service.request("POST", "\(path)/rotate-secret", "{}", fields: Self.key)
            let second = try await service.request("POST", "\(path)/rotate-secret", "{}", fields: Self.key)

            Self.expectReplay(first, second, 200)
            #expect(try await service.request("GET", path).json["counters"]?["revision"]?.integer == 2)
        }
    }

    @Test func aPingIsSentOnce() async throws {
        try await Self.with { service in
            let path = try await Self.make(service)
            let first = try await service.request("POST", "\(path)/ping", fields: Self.key)
            let second = try await service.request("POST", "\(path)/ping", fields: Self.key)

            Self.expectReplay(first, second, 202)
            #expect(try await service.request("GET", "\(path)/deliveries").json["items"]?.items.count == 1)
        }
    }

    @Test func aDeliveryIsSentAgainOnce() async throws {
        let receiver = Origin(script: [.page(204)])
        defer { receiver.stop() }
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.jobs.webhooks.allowsHTTP = true
        }
        try await Self.with(options) { service in
            let made = try await service.request("POST", "/webhooks", #"{"url":"\#(receiver.url("/hook"))"}"#)
            let path = try #require(made["location"])
            let delivery = try #require(try await service.request("POST", "\(path)/ping")["location"])
            try await service.waitForDeliveries {
                try await service.send("GET", delivery).json["state"]?.text == "succeeded" ? () : nil
            }
            let first = try await service.request("POST", "\(delivery)/redeliver", fields: Self.key)
            try await service.waitForDeliveries {
                try await service.send("GET", delivery).json["attempts"]?.items.count == 2 ? () : nil
            }
            let second = try await service.request("POST", "\(delivery)/redeliver", fields: Self.key)
            let other = try await service.request("POST", "\(delivery)/redeliver")

            Self.expectReplay(first, second, 202)
            #expect(other.status == 202)
            await receiver.requests(atLeast: 3)
            #expect(receiver.requests.count == 3)
        }
    }

    @Test func aRecoveryIsMadeOnce() async throws {
        try await Self.with { service in
            let path = try await Self.make(service)
            let since = #"{"created_after":"2025-12-31T00:00:00Z"}"#
            let first = try await service.request("POST", "\(path)/recover", since, fields: Self.key)
            let second = try await service.request("POST", "\(path)/recover", since, fields: Self.key)

            Self.expectReplay(first, second, 202)
        }
    }

    @Test func aRefusedRequestIsNotStoredUnderItsKey() async throws {
        try await Self.with { service in
            let path = try await Self.make(service)
            _ = try await service.request("PATCH", path, #"{"enabled":false}"#)
            let refused = try await service.request("POST", "\(path)/ping", fields: Self.key)
            _ = try await service.request("PATCH", path, #"{"enabled":true}"#)
            let taken = try await service.request("POST", "\(path)/ping", fields: Self.key)

            #expect(refused.status == 409 && taken.status == 202)
        }
    }
}
