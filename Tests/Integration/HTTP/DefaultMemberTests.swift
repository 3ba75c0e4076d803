import API
import ServiceSupport
import TestSupport
import Testing

/// Clients that are generated from the description send members that were not set, with their defaults.
@Suite(.hangLimit)
struct DefaultMemberTests {
    @Test(arguments: [
        #"{"keep_partial":false,"force":false,"priority":1}"#,
        #"{"action":"pause","keep_partial":false,"force":false}"#,
    ])
    func aChangeOfADownloadTakesDefaults(_ body: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/one")

            let answer = try await service.request("PATCH", "/downloads/\(id)", body)
            #expect(answer.status == 200)
        }
    }

    @Test func aChangeOfASessionTakesDefaults() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            _ = try await service.add("http://a.example/one", #","session":"s""#)
            let answer = try await service.request(
                "PATCH",
                "/sessions/s",
                #"{"keep_partial":false,"sealed":true}"#
            )

            #expect(answer.status == 200)
        }
    }

    @Test(arguments: ["pause", "resume", "cancel", "retry", "delete"])
    func anActionOnManyTakesDefaults(_ action: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let body = """
                {"action":"\(action)","filter":{},"dry_run":true,"keep_partial":false,"force":false,"delete_file":true}
                """

            let answer = try await service.request("POST", "/downloads/actions", body)
            #expect(answer.status == 202)
        }
    }

    @Test(arguments: [("{}", 202), ("", 202), (#"{"a":1}"#, 400), ("[]", 400)])
    func aRequestWithoutMembersTakesAnEmptyObject(_ body: String, _ status: Int) async throws {
        try await withService { service in
            let webhook = try await service.request("POST", "/webhooks", #"{"url":"https://a.example/"}"#)
            let id = try #require(try webhook.json["id"]?.text)

            let answer = try await service.request("POST", "/webhooks/\(id)/ping", body)
            #expect(answer.status == status)
        }
    }
}
