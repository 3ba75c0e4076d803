import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// What a `dedupe_key` joins, and what it does not.
@Suite(.hangLimit)
struct DedupeTests {
    private static let digest = String(repeating: "ab", count: 32)

    private static func with(_ body: (TestService) async throws -> Void) async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.jobs.allowsCallbacks = true
            $0.jobs.webhooks.allowsHTTP = true
        }
        try await withService(options) { try await body($0) }
    }

    private static func post(
        _ service: TestService,
        _ url: String,
        _ members: String = ""
    ) async throws -> ReceivedResponse {
        try await service.request("POST", "/downloads", #"{"url":"\#(url)","dedupe_key":"k"\#(members)}"#)
    }

    @Test func anotherURLWithTheKeyIsRefusedAndBothAreShown() async throws {
        try await Self.with { service in
            let id = try await service.add("http://a.example/f?token=canary", #","dedupe_key":"k""#)
            let response = try await Self.post(service, "http://b.example/f")

            #expect(response.status == 409 && response.problem == "dedupe-conflict")
            #expect(try response.json["download_id"]?.text == id)
            #expect(try response.json["existing"]?["url"]?.text == "http://a.example/f?REDACTED")
            #expect(try response.json["requested"]?["url"]?.text == "http://b.example/f")
            #expect(response.pointers == ["/url"])
            #expect(!response.text.contains("canary"))
            #expect(try await service.request("GET", "/downloads").json["items"]?.items.count == 1)
        }
    }

    @Test(arguments: [
        (#","expected":{"size_bytes":9}"#, ["/expected/size_bytes"]),
        (#","expected":{"digests":{"sha-256":"\#(digest)"}}"#, ["/expected/digests"]),
    ])
    func anotherExpectationIsRefused(_ members: String, _ pointers: [String]) async throws {
        try await Self.with { service in
            try await service.add("http://a.example/f", #","dedupe_key":"k","expected":{"size_bytes":8}"#)
            let response = try await Self.post(service, "http://a.example/f", members)

            #expect(response.status == 409 && response.problem == "dedupe-conflict")
            #expect(response.pointers == pointers)
            #expect(try response.json["existing"]?["expected"]?["size_bytes"]?.integer == 8)
        }
    }

    @Test func theSameExpectationOrNoneJoins() async throws {
        try await Self.with { service in
            let expected = #","expected":{"size_bytes":8,"digests":{"sha-256":"\#(Self.digest)"}}"#
            try await service.add("http://a.example/f", #","dedupe_key":"k""# + expected)

            #expect(try await Self.post(service, "http://a.example/f", expected).status == 200)
            #expect(try await Self.post(service, "http://a.example/f").status == 200)
        }
    }

    /// A signed link is another one each time, and who gives them says that it leads to the same file.
    @Test func linksOfOneRefreshURLAreNotCompared() async throws {
        try await Self.with { service in
            let refresh = #","refresh_url":"http://links.example/1""#
            try await service.add("http://a.example/f?signature=1", #","dedupe_key":"k""# + refresh)

            #expect(try await Self.post(service, "http://a.example/f?signature=2", refresh).status == 200)
            #expect(try await Self.post(service, "http://a.example/f?signature=2").status == 409)
        }
    }

    /// The query is what tells the two files apart, and its text is not kept.
    @Test func aFinishedDownloadIsJoinedByItsOwnURLAlone() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/get?file=a"), #","dedupe_key":"k""#)
            try await service.wait(id, .completed)
            let other = try await Self.post(service, origin.url("/get?file=b"))
            let same = try await Self.post(service, origin.url("/get?file=a"))

            #expect(other.status == 409 && other.problem == "dedupe-conflict")
            #expect(other.pointers == ["/url"])
            #expect(same.status == 200)
            #expect(try same.json["id"]?.text == id)
        }
    }

    @Test func aFinishedDownloadIsJoinedByItsOwnRefreshURLAlone() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        func refresh(_ file: String) -> String { #","refresh_url":"http://links.example/get?file=\#(file)""# }
        try await withService { service in
            let members = #","dedupe_key":"k""# + refresh("a")
            let id = try await service.add(origin.url("/f?signature=1"), members)
            try await service.wait(id, .completed)

            #expect(try await Self.post(service, origin.url("/f?signature=2"), refresh("b")).status == 409)
            #expect(try await Self.post(service, origin.url("/f?signature=3"), refresh("a")).status == 200)
        }
    }

    @Test func aJoinedRequestReceivesItsCallback() async throws {
        let origin = Origin(Content(size: 100))
        let receivers = [Origin(script: [.page(204)]), Origin(script: [.page(204)]), Origin(script: [.page(204)])]
        defer { for server in [origin] + receivers { server.stop() } }
        let options = TestService.Options.with {
            $0.jobs.allowsCallbacks = true
            $0.jobs.webhooks.allowsHTTP = true
        }
        try await withService(options) { service in
            let filter = #","session_filter":"none""#
            let made = try await service.send(
                "POST",
                "/webhooks",
                #"{"url":"\#(receivers[2].url("/hook"))"\#(filter)}"#
            )
            let webhook = try #require(made["location"]?.split(separator: "/").last)
            let paused = #","start":false,"callback_url":"\#(receivers[0].url("/1"))""#
            let first = try await Self.post(service, origin.url("/f"), paused)
            let path = try #require(first["location"])
            let members = #","callback_url":"\#(receivers[1].url("/2"))","webhook_ids":["\#(webhook)"]"#
            let second = try await Self.post(service, origin.url("/f"), members)
            let third = try await Self.post(service, origin.url("/f"), members)

            #expect(second.status == 200)
            #expect(try second.json["webhook_ids"]?.words == ["\(webhook)"])
            let revisions = try [first, second, third].map { try $0.json["counters"]?["revision"]?.integer ?? 0 }
            #expect(revisions[1] == revisions[0] + 1)
            #expect(revisions[2] == revisions[1])
            _ = try await service.send("PATCH", path, #"{"action":"resume"}"#)
            for receiver in receivers {
                #expect(await receiver.deliveries(atLeast: 1).first?.type == "download.completed")
            }
            #expect(receivers.allSatisfy { $0.requests.count == 1 })
        }
    }

    @Test func anUnknownWebhookOfAJoiningRequestIsRefused() async throws {
        try await Self.with { service in
            try await service.add("http://a.example/f", #","dedupe_key":"k""#)
            let unknown = #","webhook_ids":["whk_01kdyak3seeejr3cp3tkjzc1rr"]"#

            #expect(try await Self.post(service, "http://a.example/f", unknown).status == 422)
        }
    }

    @Test func anItemOfABatchThatConflictsIsNamed() async throws {
        try await Self.with { service in
            try await service.add("http://a.example/f", #","dedupe_key":"k""#)
            let items = #"[{"url":"http://a.example/g"},{"url":"http://b.example/f","dedupe_key":"k"}]"#
            let whole = try await service.request("POST", "/downloads/batch", #"{"items":\#(items)}"#)
            let each = try await service.request("POST", "/downloads/batch", #"{"atomic":false,"items":\#(items)}"#)

            #expect(whole.status == 409 && whole.problem == "dedupe-conflict" && whole.pointers == ["/items/1/url"])
            #expect(try each.json["items"]?.items.map { $0["http_status"]?.integer } == [201, 409])
        }
    }
}
