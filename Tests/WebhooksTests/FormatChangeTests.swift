import API
import Service
import ServiceSupport
import Testing
import TestSupport

/// A webhook that asks for another format while something waits for it.
@Suite(.timeLimit(.minutes(5)))
struct FormatChangeTests {
    @Test(arguments: [
        ("standard", "cloudevents", "application/json"), ("cloudevents", "standard", "application/cloudevents+json"),
    ])
    func whatWaitsIsSentAsWhatItIs(_ format: String, _ next: String, _ type: String) async throws {
        let origin = Origin(Content(size: 100))
        let receiver = Origin(Content(size: 100), script: [.page(500), .page(204)])
        defer { for server in [origin, receiver] { server.stop() } }
        try await withService(.with { $0.jobs.webhooks.allowsHTTP = true }) { service in
            let body = #"{"url":"\#(receiver.url("/hook"))","format":"\#(format)"}"#
            let path = try #require(try await service.send("POST", "/webhooks", body)["location"])
            try await service.add(origin.url("/a.bin"))
            try await service.poll {
                try await service.send("GET", path).json["stats"]?["failed"]?.integer == 1 ? () : nil
            }
            #expect(try await service.send("PATCH", path, #"{"format":"\#(next)"}"#).status == 200)
            try await service.turnClock(by: .seconds(1)) { receiver.requests.count == 2 ? () : nil }

            #expect(receiver.requests.map { $0.value(of: "content-type") } == [type, type])
            #expect(receiver.requests[0].body == receiver.requests[1].body)
        }
    }
}
