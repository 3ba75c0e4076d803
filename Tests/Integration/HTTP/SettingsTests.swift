import API
import ServiceSupport
import TestSupport
import Testing

/// `GET /settings`, held against `openapi.yaml` with each answer.
@Suite(.hangLimit)
struct SettingsTests {
    @Test func theSettingsAreShownInTheirOrder() async throws {
        let shown = [("token", "set"), ("max_concurrent", "16")]
        let options = TestService.Options.with {
            $0.shownSettings = shown.map { .init(name: $0.0, value: $0.1, origin: "default", description: "A.") }
        }
        try await withService(options) { service in
            let items = try await service.request("GET", "/settings").json["items"]?.items

            #expect(items?.map { $0["name"]?.text } == shown.map(\.0))
            #expect(items?.map { $0["value"]?.text } == shown.map(\.1))
        }
    }

    @Test func theSettingsNeedTheToken() async throws {
        try await withService(.with { $0.token = "token" }) { service in
            let response = try await service.request("GET", "/settings", fields: [("Authorization", "")])

            #expect(response.status == 401)
        }
    }
}
