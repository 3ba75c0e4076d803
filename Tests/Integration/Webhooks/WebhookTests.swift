import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// `/webhooks` and `/webhooks/{id}`: made, shown, changed, deleted, and each refusal.
@Suite(.hangLimit)
struct WebhookTests {
    private static let url = "https://hook.example/a?token=canary"
    private static let unknown = "/webhooks/whk_01kdyak3seeejr3cp3tkjzc1rr"

    private static func with(
        _ change: (inout TestService.Options) -> Void = { _ in },
        _ body: (TestService) async throws -> Void
    ) async throws {
        let options = TestService.Options.with { options in
            options.runsScheduler = false
            change(&options)
        }
        try await withService(options) { try await body($0) }
    }

    /// Makes a webhook, and returns its path and the answer.
    private static func make(
        _ service: TestService,
        _ members: String = "",
        url: String = url
    ) async throws -> (path: String, response: ReceivedResponse) {
        let response = try await service.request("POST", "/webhooks", #"{"url":"\#(url)"\#(members)}"#)
        return (try #require(response["location"]), response)
    }

    // MARK: - Made and shown

    @Test func aWebhookIsMadeWithASecretThatIsShownOnce() async throws {
        try await Self.with { service in
            let (path, made) = try await Self.make(service)
            let shown = try await service.request("GET", path)
            let secret = try #require(try made.json["secret"]?.text)

            #expect(made.status == 201 && shown.status == 200)
            #expect(secret.hasPrefix("whsec_") && secret.utf8.count == 6 + 44)
            #expect(try shown.json["secret"] == nil)
            #expect(made["etag"] == shown["etag"])
            #expect(try shown.json["url"]?.text == "https://hook.example/REDACTED")
            #expect(try shown.json["created_by"]?.text == "api" && shown.json["enabled"]?.bool == true)
            #expect(try shown.json["types"]?.words.contains("download.completed") == true)
            #expect(try await service.request("GET", "/webhooks").json["items"]?.items == [shown.json])
        }
    }

    @Test func aSecretMayBeTheClients() async throws {
        try await Self.with { service in
            let (path, made) = try await Self.make(service, #","secret":"\#(TestService.secretText)""#)

            #expect(try made.json["secret"]?.text == TestService.secretText)
            // SHA-256 of the bytes 0 to 31: 630dcd29…
            #expect(try await service.request("GET", path).json["secret_fingerprint"]?.text == "630dcd29")
        }
    }

    @Test func secretsAreInNoLogNoListAndNoFile() async throws {
        let folder = TemporaryFolder()
        let options = TestService.Options.with { $0.runsScheduler = false }
        let (secret, lines) = try await withService(options, folder: folder) { service in
            let headers = #","request_headers":{"Authorization":"canary-in-a-header"}"#
            let (path, made) = try await Self.make(service, headers)
            let rotated = try await service.request(
                "POST",
                "\(path)/rotate-secret",
                #"{"secret":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#
            )
            #expect(rotated.status == 200)
            let shown = try await service.request("GET", path)
            #expect(try shown.json["request_headers"]?["Authorization"]?.text == "REDACTED")
            return (try made.json["secret"]?.text ?? "", service.logs.lines + [shown.text])
        }
        let files = ["cormorant.db", "cormorant.db-wal"].map { String(decoding: folder.read($0), as: UTF8.self) }

        for canary in [secret, String(secret.dropFirst(6)), "canary-in-a-header", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            #expect(!canary.isEmpty && !(lines + files).contains { $0.contains(canary) })
        }
    }

    @Test func aListHasPages() async throws {
        try await Self.with { service in
            var paths: [String] = []
            for _ in 0..<3 {
                paths.append(try await Self.make(service).path)
                service.time.advance(by: .seconds(1))
            }
            let first = try await service.request("GET", "/webhooks?limit=2")
            let second = try await service.request("GET", try #require(try first.json["links"]?["next"]?.text))
            let items = try (first.json["items"]?.items ?? []) + (second.json["items"]?.items ?? [])

            #expect(items.map { $0["links"]?["self"]?.text } == paths)
            #expect(try second.json["next_cursor"] == .null)
            #expect(try await service.request("GET", "/webhooks?limit=0").problem == "invalid-filter")
            #expect(try await service.request("GET", "/webhooks?cursor=x").problem == "invalid-cursor")
        }
    }

    @Test func anUnchangedWebhookIsNotSentAgain() async throws {
        try await Self.with { service in
            let (path, made) = try await Self.make(service)
            let etag = try #require(made["etag"])

            #expect(try await service.request("GET", path, fields: [("If-None-Match", etag)]).status == 304)
        }
    }

    // MARK: - Refused

    @Test(arguments: [
        (#"{"url":"http://hook.example/"}"#, 422, "/url"), (#"{"url":"https://user:word@hook.example/"}"#, 400, "/url"),
        (#"{"url":"ftp://hook.example/"}"#, 403, "/url"),
        (#"{"url":"https://hook.example/","secret":"short"}"#, 400, "/secret"),
        (#"{"url":"https://hook.example/","secret":"whsec_AAAA"}"#, 400, "/secret"),
        (#"{"url":"https://a.example/","request_headers":{"webhook-id":"x"}}"#, 400, "/request_headers/webhook-id"),
        (#"{"url":"https://hook.example/","types":["download.progress"]}"#, 400, "/types/0"),
    ])
    func aWebhookThatCannotBeIsRefused(_ body: String, _ status: Int, _ pointer: String) async throws {
        try await Self.with { service in
            let response = try await service.request("POST", "/webhooks", body)

            #expect(response.status == status)
            #expect(response.pointers == [pointer])
            #expect(try await service.request("GET", "/webhooks").json["items"]?.items.isEmpty == true)
        }
    }

    @Test(arguments: [
        ("https://127.0.0.1/", "address"), ("https://[::1]/", "address"), ("https://10.1.2.3/", "address"),
        ("https://hook.example:25/", "port"),
    ])
    func aForbiddenDestinationIsRefusedWhenItIsNamed(_ url: String, _ reason: String) async throws {
        try await Self.with {
            $0.jobs.webhooks.policy = .publicOnly(allowances: [])
        } _: { service in
            let (path, _) = try await Self.make(service)
            let made = try await service.request("POST", "/webhooks", #"{"url":"\#(url)"}"#)
            let changed = try await service.request("PATCH", path, #"{"url":"\#(url)"}"#)

            for response in [made, changed] {
                #expect(response.status == 403 && response.problem == "destination-forbidden")
                #expect(try response.json["reason"]?.text == reason)
            }
        }
    }

    @Test func clientsCanCreateFiftyWebhooks() async throws {
        try await Self.with { service in
            for _ in 0..<50 { #expect(try await Self.make(service).response.status == 201) }
            let refused = try await service.request("POST", "/webhooks", #"{"url":"\#(Self.url)"}"#)

            #expect(refused.status == 422 && refused.problem == "unprocessable")
        }
    }

    @Test(arguments: ["GET", "PATCH", "DELETE"])
    func aWebhookThatIsNotThereIsNotFound(_ method: String) async throws {
        try await Self.with { service in
            let response = try await service.request(
                method,
                Self.unknown,
                method == "PATCH" ? #"{"enabled":true}"# : nil
            )

            #expect(response.status == 404)
        }
    }

    @Test(arguments: ["ping", "recover", "rotate-secret", "deliveries/dlv_01kdyak3seeejr3cp3tkjzc1rr/redeliver"])
    func anUnknownWebhookReceivesNoRequest(_ action: String) async throws {
        try await Self.with { service in
            let since = #"{"created_after":"2026-01-01T00:00:00Z"}"#
            let body = ["recover": since, "rotate-secret": "{}"][action]

            let response = try await service.request("POST", "\(Self.unknown)/\(action)", body)
            #expect(response.status == 404)
        }
    }

    // MARK: - Changed

    @Test func aPatchChangesWhatItNames() async throws {
        try await Self.with { service in
            let (path, _) = try await Self.make(service, #","description":"d","request_headers":{"A":"1","B":"2"}"#)
            let body =
                #"{"description":null,"types":["*"],"request_headers":{"A":null,"C":"3"},"rate_limit_per_second":9}"#
            let patched = try await service.request("PATCH", path, body)
            let moved = try await service.request("PATCH", path, #"{"url":"https://other.example/"}"#)

            #expect(patched.status == 200 && moved.status == 200)
            #expect(try patched.json["description"] == .null)
            #expect(try patched.json["types"]?.words == ["*"])
            #expect(try patched.json["request_headers"]?.names == ["B", "C"])
            #expect(try patched.json["rate_limit_per_second"]?.integer == 9)
            #expect(try moved.json["url"]?.text == "https://other.example/")
            #expect(try moved.json["counters"]?["revision"]?.integer == 3)
            #expect(try moved.json["request_headers"]?.names == ["B", "C"])
        }
    }

    @Test func aChangeMayBeBoundToWhatItsClientSaw() async throws {
        try await Self.with { service in
            let (path, made) = try await Self.make(service)
            let etag = try #require(made["etag"])
            let change = #"{"description":"a"}"#
            let first = try await service.request("PATCH", path, change, fields: [("If-Match", etag)])
            let second = try await service.request("PATCH", path, change, fields: [("If-Match", etag)])
            let third = try await service.request("PATCH", path, #"{"description":"b","expected_revision":1}"#)
            let deleted = try await service.request("DELETE", path, fields: [("If-Match", etag)])

            #expect(first.status == 200)
            #expect(second.status == 412 && second.problem == "precondition-failed")
            #expect(third.status == 409 && third.problem == "revision-mismatch")
            #expect(deleted.status == 412)
            #expect(
                try await service.request("DELETE", path, fields: [("If-Match", first["etag"] ?? "")]).status == 204
            )
            #expect(try await service.request("GET", path).status == 404)
        }
    }

    @Test func aWebhookIsDisabledAndEnabledByItsClient() async throws {
        try await Self.with { service in
            let (path, _) = try await Self.make(service)
            let disabled = try await service.request("PATCH", path, #"{"enabled":false}"#)
            let ping = try await service.request("POST", "\(path)/ping")
            let recover = try await service.request(
                "POST",
                "\(path)/recover",
                #"{"created_after":"2025-12-31T00:00:00Z"}"#
            )
            let enabled = try await service.request("PATCH", path, #"{"enabled":true}"#)

            #expect(try disabled.json["disabled_reason"]?.text == "requested")
            #expect(ping.status == 409 && ping.problem == "webhook-disabled")
            #expect(recover.status == 409 && recover.problem == "webhook-disabled")
            #expect(try enabled.json["disabled_reason"] == .null && enabled.json["disabled_at"] == .null)
        }
    }

    @Test func theWebhookOfTheSettingsIsShownAndNotChanged() async throws {
        try await Self.with {
            $0.webhookURL = "http://hook.example/settings"
        } _: { service in
            let list = try await service.request("GET", "/webhooks")
            let path = try #require(try list.json["items"]?.items.first?["links"]?["self"]?.text)
            let responses = [
                try await service.request("PATCH", path, #"{"enabled":false}"#),
                try await service.request("DELETE", path),
                try await service.request("POST", "\(path)/rotate-secret", "{}"),
            ]

            #expect(responses.allSatisfy { $0.status == 409 && $0.problem == "webhook-read-only" })
            let shown = try await service.request("GET", path).json
            #expect(shown["created_by"]?.text == "settings" && shown["secret_fingerprint"]?.text == "630dcd29")
            #expect(try await service.request("POST", "\(path)/ping").status == 202)
        }
    }

    // MARK: - Secrets

    @Test func aRotationLetsBothSecretsSignForAWhile() async throws {
        try await Self.with { service in
            let (path, made) = try await Self.make(service)
            let rotated = try await service.request("POST", "\(path)/rotate-secret", #"{"grace_seconds":3600}"#)
            let again = try await service.request("POST", "\(path)/rotate-secret", "{}")
            let forced = try await service.request(
                "POST",
                "\(path)/rotate-secret",
                #"{"force":true,"grace_seconds":0}"#
            )

            #expect(rotated.status == 200)
            #expect(try rotated.json["secret"] != made.json["secret"])
            #expect(try rotated.json["previous_secret_expires_at"]?.text == "2026-01-01T01:00:00.000Z")
            #expect(again.status == 409 && again.problem == "rotation-in-progress")
            #expect(try again.json["previous_secret_expires_at"]?.text == "2026-01-01T01:00:00.000Z")
            #expect(try forced.json["previous_secret_expires_at"] == .null)
            let shown = try await service.request("GET", path).json
            #expect(try shown["secret_fingerprint"] == forced.json["secret_fingerprint"])
            #expect(shown["previous_secret_expires_at"] == .null)
        }
    }

    @Test func anExpiredSecretStandsInNoOnesWay() async throws {
        try await Self.with { service in
            let (path, _) = try await Self.make(service)
            _ = try await service.request("POST", "\(path)/rotate-secret", #"{"grace_seconds":3600}"#)
            service.time.advance(by: .seconds(3600))

            #expect(try await service.request("GET", path).json["previous_secret_expires_at"] == .null)
            #expect(try await service.request("POST", "\(path)/rotate-secret", "{}").status == 200)
        }
    }

    // MARK: - callback_url

    @Test func aCallbackURLIsRefusedUnlessTheSettingsAllowIt() async throws {
        try await Self.with { service in
            let body = #"{"url":"https://a.example/","callback_url":"https://callback.example/"}"#
            let download = try await service.request("POST", "/downloads", body)
            let session = try await service.request(
                "PUT",
                "/sessions/s",
                #"{"callback_url":"https://callback.example/"}"#
            )
            _ = try await service.request("PUT", "/sessions/s", "{}")
            let patch = try await service.request(
                "PATCH",
                "/sessions/s",
                #"{"callback_url":"https://callback.example/"}"#
            )

            for response in [download, session, patch] {
                #expect(response.status == 422 && response.pointers == ["/callback_url"])
                #expect(response.text.contains("allow_inline_callbacks"))
            }
        }
    }

    @Test func aCallbackURLIsShownWithoutItsSecretsAndHeldToTheRules() async throws {
        try await Self.with {
            $0.jobs.allowsCallbacks = true
        } _: { service in
            let callback = #""callback_url":"https://callback.example/?token=canary""#
            let id = try await service.add("https://a.example/", ",\(callback)")
            let session = try await service.request("PUT", "/sessions/s", "{\(callback)}")
            let limits = try await service.request("PATCH", "/sessions/s", #"{"limits":{"max_concurrent":2}}"#)
            let cleared = try await service.request("PATCH", "/sessions/s", #"{"callback_url":null}"#)
            let refused = #"{"url":"https://a.example/","callback_url":"http://callback.example/"}"#
            let batch = #"{"items":[{"url":"https://a.example/",\#(callback)},\#(refused)]}"#

            let shown = "https://callback.example/REDACTED"
            #expect(try await service.request("GET", "/downloads/\(id)").json["callback_url"]?.text == shown)
            #expect(try session.json["callback_url"]?.text == shown && limits.json["callback_url"]?.text == shown)
            #expect(try cleared.json["callback_url"] == .null)
            #expect(try await service.request("POST", "/downloads", refused).status == 422)
            #expect(try await service.request("POST", "/downloads/batch", batch).pointers == ["/items/1/callback_url"])
        }
    }
}
