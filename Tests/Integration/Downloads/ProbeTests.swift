import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing

/// `POST /probes`, held against `openapi.yaml` with each answer.
@Suite(.hangLimit)
struct ProbeTests {
    private static func probe(_ url: String, _ service: TestService, _ members: String = "") async throws -> JSONValue {
        try await service.request("POST", "/probes", #"{"url":"\#(url)"\#(members)}"#).json
    }

    @Test func aProbeShowsTheResponseAndStoresNothing() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let report = try await Self.probe(origin.url("/a.bin"), service)

            #expect(report["size_bytes"]?.integer == 1000 && report["ranges"]?.text == "yes")
            #expect(report["name"]?.text == "a.bin" && report["http_status"]?.integer == 206)
            #expect(report["etag"]?.text != nil && report["error"] == .null)
            #expect(origin.requests.count == 1)
            #expect(try await service.store.totals().downloads.counts.isEmpty)
            try await service.hasNoParts()
        }
    }

    @Test func probesThatFailDoNotBlockTheirHost() async throws {
        let lost = Behaviour { $0.ending = .closedAtOnce(by: .fin) }
        let failed = Array(repeating: lost, count: 4) + Array(repeating: .page(502), count: 4)
        let content = Content(size: 1000)
        let origin = Origin(content, script: failed + [.good])
        defer { origin.stop() }
        try await withService { service in
            for number in 0..<8 {
                let report = try await Self.probe(origin.url("/\(number)"), service)
                #expect(report["error"] != .null)
            }
            let host = try await service.request("GET", "/hosts/127.0.0.1:\(origin.port)")
            let state = host.status == 404 ? "available" : try host.json["state"]?.text
            #expect(state == "available")
        }
    }

    @Test func anAnswerThatIsNoFileIsAnError() async throws {
        let origin = Origin(Content(size: 1000), script: [.page(404)])
        defer { origin.stop() }
        try await withService { service in
            let report = try await Self.probe(origin.url("/a"), service)

            #expect(report["error"]?["http_status"]?.integer == 404)
            #expect(report["http_status"]?.integer == 404 && report["ranges"] == .null)
        }
    }

    @Test func aPageInPlaceOfAFileIsAnError() async throws {
        let origin = Origin(Content(size: 1000), script: [.page(200)])
        defer { origin.stop() }
        try await withService { service in
            let refused = try await Self.probe(origin.url("/a.iso"), service)
            let accepted = try await Self.probe(origin.url("/a.iso"), service, #","accept_html":true"#)

            #expect(refused["error"]?["code"]?.text == "unexpected_page")
            #expect(accepted["error"] == .null)
        }
    }

    @Test func anotherSizeThanTheExpectedOneIsAnError() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let report = try await Self.probe(origin.url("/a"), service, #","expected":{"size_bytes":7}"#)

            #expect(report["error"]?["code"]?.text == "size_mismatch" && report["size_bytes"]?.integer == 1000)
        }
    }

    @Test func anOriginThatSaysNothingIsLeftAfterFifteenSeconds() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 1000), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        try await withService { service in
            let sleepers = service.time.sleeperCount
            async let answer = Self.probe(origin.url("/a"), service)
            await origin.requests(atLeast: 1)
            await service.time.sleepers(atLeast: sleepers + 1)
            service.time.advance(by: .seconds(15))

            let report = try await answer
            #expect(report["error"]?["code"]?.text == "timeout")
            gate.fire()
        }
    }

    @Test(arguments: [
        (#"{}"#, 400, "/url"), (#"{"url":"http://a.example/","sizes":1}"#, 400, "/sizes"),
        (#"{"url":"http://a.example/","method":"POST","body":{"text":"a"}}"#, 422, "/method"),
    ])
    func aProbeRefusesWhatADownloadRefuses(_ body: String, _ status: Int, _ pointer: String) async throws {
        try await withService { service in
            let answer = try await service.request("POST", "/probes", body)
            #expect(answer.status == status && answer.pointers == [pointer])
        }
    }

    @Test func aRepeatableProbeIsRefused() async throws {
        try await withService { service in
            let fields = [("Idempotency-Key", "a")]
            let answer = try await service.request("POST", "/probes", #"{"url":"http://a.example/"}"#, fields: fields)
            #expect(answer.status == 400)
        }
    }
}
