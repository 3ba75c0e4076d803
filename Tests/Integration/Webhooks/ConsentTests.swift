import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// Endpoints that are asked before anything is sent to them (`"verify": "cloudevents"`).
@Suite(.hangLimit)
struct ConsentTests {
    /// A service that has a name, and an endpoint that answers as scripted.
    private static func with(
        _ script: [Behaviour],
        origin: String? = "events.example",
        _ body: (TestService, Origin) async throws -> Void
    ) async throws {
        let receiver = Origin(Content(size: 100), script: script)
        defer { receiver.stop() }
        let options = TestService.Options.with { options in
            options.jobs.webhooks.allowsHTTP = true
            options.jobs.webhooks.origin = origin
        }
        try await withService(options) { try await body($0, receiver) }
    }

    private static func response(_ status: Int, allowing origin: String?) -> Behaviour {
        Behaviour { behaviour in
            behaviour.response = .page(status: status)
            behaviour.extraFields = origin.map { ["WebHook-Allowed-Origin: \($0)"] } ?? []
        }
    }

    private static func make(
        _ service: TestService,
        _ receiver: Origin,
        _ members: String = #","verify":"cloudevents""#
    ) async throws -> ReceivedResponse {
        try await service.send("POST", "/webhooks", #"{"url":"\#(receiver.url("/hook"))"\#(members)}"#)
    }

    @Test(arguments: [(200, "events.example"), (204, "*"), (405, "events.example")])
    func anEndpointThatAgreesIsSentEventsInTheNameThatItAgreedTo(_ status: Int, _ allowed: String) async throws {
        try await Self.with([Self.response(status, allowing: allowed), .page(204)]) { service, receiver in
            let members = #","verify":"cloudevents","rate_limit_per_second":2,"request_headers":{"X-Tenant":"a"}"#
            let made = try await Self.make(service, receiver, members)
            #expect(try made.status == 201 && made.json["verify"]?.text == "cloudevents")
            let request = try #require(receiver.requests.first)
            #expect(request.method == "OPTIONS" && request.target == "/hook" && request.body.isEmpty)
            #expect(request.value(of: "webhook-request-origin") == "events.example")
            #expect(request.value(of: "webhook-request-rate") == "120" && request.value(of: "x-tenant") == "a")

            let path = try #require(made["location"])
            #expect(try await service.send("POST", "\(path)/ping").status == 202)

            let delivery = await receiver.requests(atLeast: 2)[1]
            #expect(delivery.method == "POST")
            #expect(delivery.value(of: "webhook-request-origin") == "events.example")
        }
    }

    @Test(arguments: [
        response(200, allowing: nil), response(200, allowing: "other.example"), response(405, allowing: nil),
        Behaviour { $0.response = .redirect(status: 307, to: "/elsewhere") },
        Behaviour { $0.ending = .closedAtOnce(by: .reset) },
    ])
    func anEndpointThatDoesNotAgreeIsNotMade(_ behaviour: Behaviour) async throws {
        try await Self.with([behaviour]) { service, receiver in
            let refused = try await Self.make(service, receiver)

            #expect(refused.status == 422 && refused.problem == "unprocessable")
            #expect(try refused.json["errors"]?.items.map { $0["pointer"]?.text } == ["/url"])
            #expect(try await service.send("GET", "/webhooks").json["items"]?.items.isEmpty == true)
            #expect(receiver.requests.allSatisfy { $0.target == "/hook" && $0.method == "OPTIONS" })
        }
    }

    @Test func anEndpointIsAskedAgainWhenItIsAnotherOne() async throws {
        let script = [Self.response(204, allowing: "*"), Self.response(204, allowing: "*"), .page(204)]
        try await Self.with(script) { service, receiver in
            let path = try #require(try await Self.make(service, receiver, "")["location"])
            func patch(_ members: String) async throws -> Int {
                try await service.send("PATCH", path, "{\(members)}").status
            }
            #expect(receiver.requests.isEmpty)
            #expect(try await patch(#""verify":"cloudevents""#) == 200 && receiver.requests.count == 1)
            #expect(try await patch(#""description":"a","rate_limit_per_second":5"#) == 200)
            #expect(try await patch(#""enabled":false,"url":"\#(receiver.url("/b"))""#) == 200)
            #expect(receiver.requests.count == 1)
            #expect(try await patch(#""enabled":true"#) == 200)
            #expect(receiver.requests.map(\.target) == ["/hook", "/b"])

            #expect(try await patch(#""url":"\#(receiver.url("/c"))""#) == 422)

            let shown = try await service.send("GET", path).json["url"]?.text
            #expect(shown == "http://127.0.0.1:\(receiver.port)/REDACTED")
        }
    }

    @Test func noMoreThanEightAreAskedAtOnce() async throws {
        let gate = Signal()
        try await Self.with([.pace(.stallBeforeHead(until: gate))]) { service, receiver in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.make(service, receiver).status } }
                await receiver.requests(atLeast: 8)
                let ninth = try await Self.make(service, receiver)
                #expect(ninth.status == 503 && ninth["retry-after"] != nil)

                gate.fire()
                for try await status in group { #expect(status == 422) }
            }
            #expect(receiver.requests.count == 8)
        }
    }

    @Test func consentWithoutAWebhookOriginIsRefused() async throws {
        try await Self.with([Self.response(204, allowing: "*")], origin: nil) { service, receiver in
            let refused = try await Self.make(service, receiver)

            #expect(refused.status == 422 && refused.text.contains("webhook_origin"))
            #expect(try refused.json["errors"]?.items.map { $0["pointer"]?.text } == ["/verify"])
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test func aForbiddenAddressIsNotAsked() async throws {
        let receiver = Origin(Content(size: 100), script: [Self.response(204, allowing: "*")])
        defer { receiver.stop() }
        let options = TestService.Options.with { options in
            options.jobs.webhooks = .init(policy: .publicOnly(allowances: []), allowsHTTP: true, origin: "a.example")
        }
        try await withService(options) { service in
            // By its name: which address it leads to is known when it is connected to.
            let body = #"{"url":"http://localhost:\#(receiver.port)/hook","verify":"cloudevents"}"#
            let refused = try await service.send("POST", "/webhooks", body)

            #expect(refused.status == 422)
            #expect(receiver.requests.isEmpty)
        }
    }
}
