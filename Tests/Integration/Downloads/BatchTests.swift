import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// `POST /downloads/batch`.
@Suite(.hangLimit)
struct BatchTests {
    private static let path = "/downloads/batch"

    private static func batch(atomic: Bool = true, _ items: [String]) -> String {
        #"{"atomic":\#(atomic),"items":[\#(items.joined(separator: ","))]}"#
    }

    private static func item(_ url: String = "http://a.example/f", _ members: String = "") -> String {
        #"{"url":"\#(url)"\#(members)}"#
    }

    private static func key(_ text: String) -> [(String, String)] { [("Idempotency-Key", text)] }

    /// How many downloads there are.
    private static func count(_ service: TestService) async throws -> Int {
        try await service.request("GET", "/downloads?limit=200").json["items"]?.items.count ?? -1
    }

    @Test func theAnswerOfABatchEqualsTheStoredDownloads() async throws {
        try await withIdleService { service in
            let items = (0..<150).map { Self.item("http://a.example/\($0)", #","session":"s""#) }
            let response = try await service.request("POST", Self.path, Self.batch(items))
            let made = try #require(try response.json["items"]?.items)
            let listed = try await service.request("GET", "/downloads?limit=200").json["items"]?.items

            #expect(response.status == 201)
            #expect(response["location"] == nil && response["etag"] == nil)
            #expect(made.map { $0["url"]?.text } == (0..<150).map { "http://a.example/\($0)" })
            #expect(listed == made.reversed())
            let session = try await service.request("GET", "/sessions/s").json
            #expect(session["counts"]?["queued"]?.integer == 150)
        }
    }

    @Test(
        arguments: [
            // 400: the shape of an item.
            (["http://a.example/", "nonsense", "file:"], 400, "invalid-request", ["/items/1/url", "/items/2/url"]),
            (["http://127.0.0.1/", "gopher://a/"], 403, "destination-forbidden", ["/items/0/url", "/items/1/url"]),
            (
                ["http://a.example/", "nonsense", "http://127.0.0.1/"], 422, "unprocessable",
                ["/items/1/url", "/items/2/url"]
            ),
            (
                ["http://a.example/", "http://b.example/", "http://a.example:25/"], 403, "destination-forbidden",
                ["/items/2/url"]
            ),
        ] as [([String], Int, String, [String])]
    )
    func oneInvalidItemPreventsAnAtomicBatch(
        _ urls: [String],
        _ status: Int,
        _ problem: String,
        _ pointers: [String]
    ) async throws {
        var jobs = ServiceSettings()
        jobs.destinations = .publicOnly(allowances: [])
        try await withIdleService(jobs: jobs) { service in
            let response = try await service.request("POST", Self.path, Self.batch(urls.map { Self.item($0) }))

            #expect(response.status == status)
            #expect(response.problem == problem)
            #expect(response.pointers == pointers)
            #expect(try await Self.count(service) == 0)
        }
    }

    @Test func aContradictionIsToldWithItsItem() async throws {
        try await withIdleService { service in
            let late = #","deadline_at":"2020-01-01T00:00:00Z""#
            let response = try await service.request(
                "POST",
                Self.path,
                Self.batch([Self.item(), Self.item("http://b/", late)])
            )

            #expect(response.status == 422)
            #expect(response.pointers == ["/items/1/deadline_at"])
            #expect(try await Self.count(service) == 0)
        }
    }

    @Test(arguments: [true, false])
    func aBatchOfNoItemsOrTooManyIsNone(_ isAtomic: Bool) async throws {
        try await withIdleService { service in
            for count in [0, CreateBatchBody.maximumItems + 1] {
                let items = Array(repeating: Self.item(), count: count)
                let response = try await service.request("POST", Self.path, Self.batch(atomic: isAtomic, items))

                #expect(response.status == 400)
                #expect(response.pointers == ["/items"])
            }
            #expect(try await Self.count(service) == 0)
        }
    }

    @Test func aBatchHoldsAThousandItems() async throws {
        try await withIdleService { service in
            let items = Array(repeating: Self.item("http://a.example/f", #","session":"s""#), count: 1000)
            let response = try await service.send("POST", Self.path, Self.batch(items))

            #expect(response.status == 201)
            #expect(try response.json["items"]?.items.count == 1000)
            let session = try await service.request("GET", "/sessions/s").json
            #expect(session["counts"]?["queued"]?.integer == 1000)
        }
    }

    @Test func eachItemIsCheckedByItselfWhereThatIsAskedFor() async throws {
        var jobs = ServiceSettings()
        jobs.destinations = .publicOnly(allowances: [])
        try await withIdleService(jobs: jobs) { service in
            let there = try await service.add("http://a.example/f", #","dedupe_key":"k""#)
            let items = [
                Self.item(), Self.item("nonsense"), Self.item("http://127.0.0.1/"),
                Self.item("http://a.example/f", #","dedupe_key":"k""#), #"{"urll":1}"#, Self.item(),
            ]
            let response = try await service.request("POST", Self.path, Self.batch(atomic: false, items))
            let results = try #require(try response.json["items"]?.items)

            #expect(response.status == 207)
            #expect(results.map { $0["index"]?.integer } == [0, 1, 2, 3, 4, 5])
            #expect(results.map { $0["http_status"]?.integer } == [201, 400, 403, 200, 400, 201])
            #expect(results.map { $0["download"] == .null } == [false, true, true, false, true, false])
            #expect(results[3]["download"]?["id"]?.text == there)
            let pointers = results.map { ($0["problem"]?["errors"]?.items ?? []).map { $0["pointer"]?.text } }
            #expect(
                pointers == [
                    [], ["/items/1/url"], ["/items/2/url"], [], ["/items/4/url", "/items/4/urll"], [],
                ]
            )
            #expect(results[2]["problem"]?["reason"]?.text == "address")
            #expect(try await Self.count(service) == 3)
        }
    }

    @Test func aBatchAllOfWhichIsRefusedIsAnsweredItemByItem() async throws {
        try await withIdleService { service in
            let body = Self.batch(atomic: false, [Self.item("nonsense")])
            let response = try await service.request("POST", Self.path, body, fields: Self.key("k"))
            let again = try await service.request("POST", Self.path, body, fields: Self.key("k"))

            #expect(response.status == 207 && again.status == 207)
            #expect(try response.json["items"]?.items.map { $0["http_status"]?.integer } == [400])
            #expect(again["idempotency-replayed"] == nil)
        }
    }

    @Test func aQueueThatIsFullIsTheBatchsOrTheItems() async throws {
        try await withIdleService(jobs: with(ServiceSettings()) { $0.queueLimit = 2 }) { service in
            let items = Array(repeating: Self.item(), count: 3)
            let all = try await service.request("POST", Self.path, Self.batch(items))
            let none = try await Self.count(service)
            let each = try await service.request("POST", Self.path, Self.batch(atomic: false, items))

            #expect(all.status == 503)
            #expect(all.problem == "queue-full")
            #expect(all["retry-after"] == "10")
            #expect(none == 0)
            #expect(each.status == 207)
            #expect(try each.json["items"]?.items.map { $0["http_status"]?.integer } == [201, 201, 503])
        }
    }

    @Test func aSessionWithoutRoomIsToldWithTheItem() async throws {
        try await withIdleService { service in
            _ = try await service.request("PUT", "/sessions/s", #"{"limits":{"max_bytes":10}}"#)
            let sizes = [1, 11, 2].map { #","session":"s","expected":{"size_bytes":\#($0)}"# }
            let items = sizes.map { Self.item("http://a.example/f", $0) }
            let all = try await service.request("POST", Self.path, Self.batch(items))
            let each = try await service.request(
                "POST",
                Self.path,
                Self.batch(atomic: false, [items[0], "{}", items[1]])
            )

            #expect(all.status == 507)
            #expect(all.problem == "quota-exceeded")
            #expect(all.pointers == ["/items/1/expected/size_bytes"])
            let results = try #require(try each.json["items"]?.items)
            #expect(results.map { $0["http_status"]?.integer } == [201, 400, 507])
            let place = results[2]["problem"]?["errors"]?.items.first?["pointer"]
            #expect(place?.text == "/items/2/expected/size_bytes")
            #expect(try await Self.count(service) == 1)
        }
    }

    @Test func twoItemsOfOneDedupeKeyAreOneDownload() async throws {
        try await withIdleService { service in
            let items = ["a", "b", "a"].map { Self.item("http://a.example/f", #","dedupe_key":"\#($0)""#) }
            let all = try await service.request("POST", Self.path, Self.batch(items))
            let ids = try #require(try all.json["items"]?.items).map { $0["id"]?.text }
            let each = try await service.request("POST", Self.path, Self.batch(atomic: false, items))

            #expect(all.status == 201)
            #expect(ids[0] == ids[2] && ids[0] != ids[1])
            #expect(try each.json["items"]?.items.map { $0["http_status"]?.integer } == [200, 200, 200])
            #expect(try each.json["items"]?.items.map { $0["download"]?["id"]?.text } == ids)
            #expect(try await Self.count(service) == 2)
        }
    }

    @Test(arguments: [true, false])
    func theSameBatchIsAnsweredAsTheFirstTime(_ isAtomic: Bool) async throws {
        try await withIdleService { service in
            let items = isAtomic ? [Self.item(), Self.item()] : [Self.item(), "{}", Self.item()]
            let body = Self.batch(atomic: isAtomic, items)
            let first = try await service.request("POST", Self.path, body, fields: Self.key("k"))
            let item = try first.json["items"]?.items.first
            let id = try #require((isAtomic ? item : item?["download"])?["id"]?.text)
            _ = try await service.request("PATCH", "/downloads/\(id)", #"{"action":"pause"}"#)
            service.running.beginShutdown()
            let second = try await service.request("POST", Self.path, body, fields: Self.key("\"k\""))
            let other = try await service.request("POST", Self.path, body + " ", fields: Self.key("k"))

            #expect(first.status == (isAtomic ? 201 : 207))
            #expect(first["idempotency-replayed"] == nil)
            #expect(second.status == first.status)
            #expect(second["idempotency-replayed"] == "true")
            #expect(second.body == first.body)
            #expect(other.problem == "idempotency-key-reused")
            #expect(try await Self.count(service) == 2)
        }
    }

    @Test func theKeyOfASingleDownloadIsAnother() async throws {
        try await withIdleService { service in
            let single = try await service.request("POST", "/downloads", Self.item(), fields: Self.key("k"))
            let batch = try await service.request("POST", Self.path, Self.batch([Self.item()]), fields: Self.key("k"))

            #expect(single.status == 201 && batch.status == 201)
            #expect(batch["idempotency-replayed"] == nil)
        }
    }

    @Test func aServiceThatStopsTakesNoBatch() async throws {
        try await withIdleService { service in
            service.running.beginShutdown()
            let response = try await service.request("POST", Self.path, Self.batch(atomic: false, [Self.item()]))

            #expect(response.status == 503)
            #expect(response.problem == "draining")
            #expect(response["retry-after"] != nil)
        }
    }

    @Test(arguments: [(3900, 201), (4001, 413)])
    func aBatchHasFourTimesTheSizeOfAnyOtherBody(_ size: Int, _ status: Int) async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.maxBodyBytes = 1000
        }
        try await withService(options) { service in
            let body = Self.batch([Self.item()])
            let padded = body + String(repeating: " ", count: size - body.utf8.count)
            let response = try await service.request("POST", Self.path, padded)

            #expect(response.status == status)
            if status == 413 { #expect(try response.json["limit_bytes"]?.integer == 4000) }
        }
    }

    @Test(arguments: [
        ("", 400, "invalid-json"), (#"{"items":[{"url":"http://a/"}]} x"#, 400, "invalid-json"),
        (#"{"items":[{"url":"http://a/","url":"http://b/"}]}"#, 400, "invalid-json"),
        ("[]", 400, "invalid-request"), (#"{"items":[{"url":"http://a/"}],"atomc":true}"#, 400, "invalid-request"),
    ])
    func aBodyThatIsNoBatchIsRefused(_ body: String, _ status: Int, _ problem: String) async throws {
        try await withIdleService { service in
            let response = try await service.request("POST", Self.path, body)

            #expect(response.status == status)
            #expect(response.problem == problem)
            #expect(try await Self.count(service) == 0)
        }
    }

    @Test func onlyJSONIsABatch() async throws {
        try await withIdleService { service in
            let type = [("Content-Type", "text/plain")]
            let response = try await service.request("POST", Self.path, Self.batch([Self.item()]), fields: type)

            #expect(response.status == 415)
        }
    }
}
