import Core
import ServiceSupport
import TestSupport
import Testing

@testable import API

/// An old name of a member or a parameter is refused, and the refusal says the new one.
@Suite(.timeLimit(.minutes(5)))
struct RenamedNameTests {
    /// An operation, with the old names that it had.
    struct Operation: Sendable {
        let method: String
        /// Without the beginning of a resource's own path: `download` or `webhook`.
        let path: String
        /// The body, with `%` in the place of the old member; nil for a parameter.
        let body: String?
        let names: [String: String]
        /// The place of the old member, without its name.
        var pointer = "/"
    }

    private static let operations = [
        Operation(method: "POST", path: "/downloads", body: newDownload, names: ["not_before": "not_before_at"]),
        Operation(
            method: "POST",
            path: "/downloads/batch",
            body: #"{"items":[\#(newDownload)]}"#,
            names: ["not_before": "not_before_at"],
            pointer: "/items/0/"
        ),
        Operation(method: "PATCH", path: "download", body: "{%}", names: ["not_before": "not_before_at"]),
        Operation(method: "POST", path: "/webhooks", body: newWebhook, names: webhookNames),
        Operation(method: "PATCH", path: "webhook", body: "{%}", names: webhookNames),
        Operation(method: "POST", path: "webhook/rotate-secret", body: "{%}", names: ["grace": "grace_seconds"]),
        Operation(
            method: "POST",
            path: "webhook/recover",
            body: #"{"created_after":"2026-01-01T00:00:00Z",%}"#,
            names: ["since": "created_after", "until": "created_before", "states": "state"]
        ),
        Operation(
            method: "GET",
            path: "webhook/deliveries",
            body: nil,
            names: ["event_type": "types", "after": "created_after", "before": "created_before"]
        ),
        Operation(method: "GET", path: "/events", body: nil, names: ["after": "after_seq", "download": "download_id"]),
        Operation(method: "GET", path: "download/events", body: nil, names: ["after": "after_seq"]),
    ]
    private static let newDownload = #"{"url":"http://a.example/",%}"#
    private static let newWebhook = #"{"url":"https://hook.example/",%}"#
    private static let webhookNames = ["event_types": "types", "headers": "request_headers"]

    @Test(arguments: operations)
    func anOldNameIsRefusedWithTheNewOne(_ operation: Operation) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let download = "/downloads/\(try await service.add("http://a.example/f"))"
            let made = try await service.request("POST", "/webhooks", #"{"url":"https://hook.example/"}"#)
            let webhook = try #require(made["location"])
            var path = operation.path
            for (word, own) in [("download", download), ("webhook", webhook)] where path.hasPrefix(word) {
                path = own + path.dropFirst(word.count)
            }
            for (old, new) in operation.names {
                let response: ReceivedResponse
                if let body = operation.body {
                    let text = body.split(separator: "%").joined(separator: "\"\(old)\":null")
                    response = try await service.request(operation.method, path, text)
                } else {
                    response = try await service.request(operation.method, "\(path)?\(old)=1")
                }

                let error = try #require(try response.json["errors"]?.items.first, "\(old)")
                #expect(response.status == 400)
                #expect(error["code"]?.text == "unknown_member")
                #expect(error["detail"]?.text?.hasSuffix(" Use \"\(new)\".") == true)
                let place = operation.body == nil ? error["parameter"]?.text : error["pointer"]?.text
                #expect(place == (operation.body == nil ? old : operation.pointer + old))
            }
        }
    }

    @Test func everyPairOfTheTableIsTried() {
        let tried = Self.operations.flatMap { $0.names.map { "\($0.key) \($0.value)" } }

        #expect(Set(tried) == Set(RenamedName.all.map { "\($0.old) \($0.new)" }))
    }

    @Test(arguments: ["0", "1", "yes", ""])
    func aSnapshotIsAskedForWithAFlag(_ value: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/events?snapshot=\(value)")

            #expect(response.status == 400 && response.problem == "invalid-filter")
            #expect(try response.json["errors"]?.items.first?["detail"]?.text == "Expected 'true' or 'false'.")
        }
    }
}
