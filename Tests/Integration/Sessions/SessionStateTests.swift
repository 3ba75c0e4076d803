import API
import Core
import ServiceSupport
import TestSupport
import Testing

/// The seal of a session, actions on all its downloads, and its deletion.
@Suite(.hangLimit)
struct SessionStateTests {
    private static let path = "/sessions/s"
    private static let member = #","session":"s""#
    private static let mergePatch = [("Content-Type", "application/merge-patch+json")]

    /// A session of three downloads, one of them paused, that nobody works on.
    private static func withSession(
        _ body: (_ service: TestService, _ ids: [String]) async throws -> Void
    ) async throws {
        try await withIdleService { service in
            var ids: [String] = []
            for start in ["true", "false", "true"] {
                ids.append(try await service.add("http://a.example/", member + #","start":\#(start)"#))
            }
            try await body(service, ids)
        }
    }

    private static func acted(_ response: ReceivedResponse) throws -> [Int64?] {
        let acted = try response.json["acted"]
        return ["matched", "changed", "unchanged", "refused"].map { acted?[$0]?.integer }
    }

    // MARK: - The seal

    @Test func aSealedSessionIsShownSoAndRefusesWhatIsNew() async throws {
        try await Self.withSession { service, _ in
            #expect(try await service.request("GET", Self.path).json["sealed"] == .bool(false))
            let sealed = try await service.request("PATCH", Self.path, #"{"sealed":true}"#)
            let refused = try await service.request(
                "POST",
                "/downloads",
                #"{"url":"http://b.example/"\#(Self.member)}"#
            )

            #expect(sealed.status == 200)
            #expect(try sealed.json["sealed"] == .bool(true))
            #expect(try sealed.json["counters"]?["revision"]?.integer == 2)
            #expect(try sealed.json["acted"] == nil)
            #expect(refused.status == 409 && refused.problem == "session-sealed")
            #expect(refused.pointers == ["/session"])
            #expect(try await service.request("GET", Self.path).json == sealed.json)
            #expect(try await service.request("GET", "/sessions").json["items"]?.items == [sealed.json])
        }
    }

    @Test func aSealIsForGood() async throws {
        try await Self.withSession { service, _ in
            #expect(try await service.request("PATCH", Self.path, #"{"sealed":false}"#).status == 200)
            #expect(try await service.request("GET", Self.path).json["counters"]?["revision"]?.integer == 1)
            let sealed = try await service.request("PATCH", Self.path, #"{"sealed":true}"#)
            let again = try await service.request("PATCH", Self.path, #"{"sealed":true}"#)
            let opened = try await service.request("PATCH", Self.path, #"{"sealed":false}"#)
            let put = try await service.request("PUT", Self.path, "{}")

            #expect(again.status == 200)
            #expect(try again.json == sealed.json)
            #expect(opened.status == 409 && opened.problem == "session-sealed" && opened.pointers == ["/sealed"])
            #expect(try put.json["sealed"] == .bool(true))
        }
    }

    @Test func aSealMayComeWithLimitsAndExpectsARevision() async throws {
        try await Self.withSession { service, _ in
            let late = try await service.request("PATCH", Self.path, #"{"sealed":true,"expected_revision":7}"#)
            let body = #"{"sealed":true,"limits":{"max_concurrent":2},"expected_revision":1}"#
            let sealed = try await service.request("PATCH", Self.path, body)

            #expect(late.status == 409 && late.problem == "revision-mismatch")
            #expect(try sealed.json["counters"]?["revision"]?.integer == 2)
            #expect(try sealed.json["limits"]?["max_concurrent"]?.integer == 2)
        }
    }

    @Test func aDownloadOfASealedSessionCanBeRetriedAndIsFoundByItsKey() async throws {
        try await withIdleService { service in
            let keyed = Self.member + #","dedupe_key":"k""#
            let id = try await service.add("http://a.example/", keyed)
            _ = try await service.request("PATCH", Self.path, #"{"sealed":true}"#)
            let found = try await service.request("POST", "/downloads", #"{"url":"http://a.example/"\#(keyed)}"#)
            #expect(found.status == 200)
            #expect(try found.json["id"]?.text == id)

            try await service.act("cancel", on: id)
            #expect(try await service.act("retry", on: id).status == 200)
            #expect(try await service.request("GET", Self.path).json["counters"]?["epoch"]?.integer == 2)
        }
    }

    // MARK: - Batches

    private static func batch(_ sessions: [String], _ members: String = "") -> String {
        let items = sessions.map { #"{"url":"http://a.example/","session":"\#($0)"}"# }.joined(separator: ",")
        return #"{"items":[\#(items)]\#(members)}"#
    }

    @Test func aBatchSealsTheSessionsThatItNames() async throws {
        try await withIdleService { service in
            let body = Self.batch(["s", "t", "s"], #","sealed":true"#)
            let key = [("Idempotency-Key", "k")]
            let made = try await service.request("POST", "/downloads/batch", body, fields: key)
            let again = try await service.request("POST", "/downloads/batch", body, fields: key)
            let next = try await service.request("POST", "/downloads/batch", Self.batch(["u", "s"]))

            #expect(made.status == 201)
            #expect(again.body == made.body)
            for name in ["s", "t"] {
                #expect(try await service.request("GET", "/sessions/\(name)").json["sealed"] == .bool(true))
            }
            #expect(next.status == 409 && next.problem == "session-sealed" && next.pointers == ["/items/1/session"])
            #expect(try await service.request("GET", "/sessions/u").status == 404)
        }
    }

    @Test func eachItemOfASealedSessionIsRefusedByItself() async throws {
        try await withIdleService { service in
            _ = try await service.request("POST", "/downloads/batch", Self.batch(["s"], #","sealed":true"#))
            let response = try await service.request(
                "POST",
                "/downloads/batch",
                Self.batch(["u", "s"], #","atomic":false"#)
            )
            let results = try #require(try response.json["items"]?.items)

            #expect(response.status == 207)
            #expect(results.map { $0["http_status"]?.integer } == [201, 409])
            #expect(results[1]["problem"]?["type"]?.text == "/problems/session-sealed")
        }
    }

    @Test(arguments: [#","sealed":true,"atomic":false"#, #","sealed":1"#])
    func aBatchThatCannotSealIsRefused(_ members: String) async throws {
        try await withIdleService { service in
            let response = try await service.request("POST", "/downloads/batch", Self.batch(["s"], members))

            #expect(response.status == 400 && response.pointers == ["/sealed"])
            #expect(try await service.request("GET", Self.path).status == 404)
        }
    }

    // MARK: - Actions

    @Test func anActionIsDoneToAllDownloadsAndSaysToHowMany() async throws {
        try await Self.withSession { service, ids in
            let other = try await service.add("http://a.example/", #","session":"t""#)
            let paused = try await service.request("PATCH", Self.path, #"{"action":"pause"}"#)
            let again = try await service.request("PATCH", Self.path, #"{"action":"pause"}"#)
            let resumed = try await service.request("PATCH", Self.path, #"{"action":"resume"}"#)
            try await service.act("cancel", on: ids[0])
            let cancelled = try await service.request("PATCH", Self.path, #"{"action":"cancel"}"#)

            #expect(paused.status == 200)
            #expect(try paused.json["acted"]?["action"]?.text == "pause")
            #expect(try Self.acted(paused) == [2, 2, 0, 0])
            #expect(try paused.json["counts"]?["paused"]?.integer == 3)
            #expect(try Self.acted(again) == [0, 0, 0, 0])
            #expect(again["etag"] == paused["etag"])
            #expect(try Self.acted(resumed) == [3, 3, 0, 0])
            #expect(try Self.acted(cancelled) == [2, 2, 0, 0])
            #expect(try cancelled.json["open_count"]?.integer == 0)
            #expect(try cancelled.json["counters"]?["epoch"]?.integer == 2)
            #expect(try await service.request("GET", Self.path)["etag"] == cancelled["etag"])
            #expect(try await service.show(other)["state"]?.text == "queued")
        }
    }

    @Test func aSessionIsSealedBeforeItsDownloadsAreCancelled() async throws {
        try await Self.withSession { service, _ in
            let body = #"{"sealed":true,"action":"cancel","keep_partial":true,"expected_revision":1}"#
            let response = try await service.request("PATCH", Self.path, body)

            #expect(try response.json["sealed"] == .bool(true))
            #expect(try Self.acted(response) == [3, 3, 0, 0])
            let repeated = try await service.request("PATCH", Self.path, body)
            #expect(repeated.status == 409 && repeated.problem == "revision-mismatch")
        }
    }

    @Test(arguments: [
        (#"{"action":"retry"}"#, "/action"), (#"{"action":"seal"}"#, "/action"), (#"{"action":null}"#, "/action"),
        (#"{"keep_partial":true}"#, "/action"), (#"{"action":"cancel","keep_partial":1}"#, "/keep_partial"),
        (#"{"sealed":"yes"}"#, "/sealed"), (#"{"sealed":null}"#, "/sealed"), ("{}", ""),
    ])
    func unknownActionsOfASessionAreRefused(_ body: String, _ pointer: String) async throws {
        try await Self.withSession { service, _ in
            let response = try await service.request("PATCH", Self.path, body)

            #expect(response.status == 400)
            #expect(response.pointers == [pointer])
            #expect(try await service.request("GET", Self.path).json["counters"]?["revision"]?.integer == 1)
        }
    }

    @Test(arguments: [#"{"action":"pause"}"#, #"{"keep_partial":true}"#])
    func aMergePatchIsRefusedByItsMediaType(_ body: String) async throws {
        try await Self.withSession { service, _ in
            let response = try await service.request("PATCH", Self.path, body, fields: Self.mergePatch)

            #expect(response.status == 415)
            #expect(try await service.request("GET", Self.path).json["counts"]?["paused"]?.integer == 1)
        }
    }

    @Test(arguments: [#"{"action":"pause"}"#, #"{"sealed":true}"#])
    func noSessionIsMadeToBeChanged(_ body: String) async throws {
        try await withIdleService { service in
            let response = try await service.request("PATCH", Self.path, body)

            #expect(response.status == 404)
            #expect(try await service.request("GET", Self.path).status == 404)
        }
    }

    // MARK: - DELETE

    @Test func aSessionIsDeletedOnceItsDownloadsHaveEnded() async throws {
        try await Self.withSession { service, ids in
            let open = try await service.request("DELETE", Self.path)
            _ = try await service.request("PATCH", Self.path, #"{"action":"cancel","sealed":true}"#)
            let deleted = try await service.request("DELETE", Self.path)

            #expect(open.status == 409 && open.problem == "not-terminal")
            #expect(deleted.status == 204)
            for method in ["GET", "DELETE"] { #expect(try await service.request(method, Self.path).status == 404) }
            #expect(try await service.request("PATCH", Self.path, #"{"action":"cancel"}"#).status == 404)
            #expect(try await service.show(ids[0])["session"]?.text == "s")
            try await service.add("http://a.example/", Self.member)
            #expect(try await service.request("GET", Self.path).json["sealed"] == .bool(false))
        }
    }

    @Test func aDeletionIsHeldToItsConditionsAndParameters() async throws {
        try await withIdleService { service in
            let etag = try #require(try await service.request("PUT", Self.path, "{}")["etag"])
            _ = try await service.request("PATCH", Self.path, #"{"labels":{"a":"b"}}"#)
            let late = try await service.request("DELETE", Self.path, fields: [("If-Match", etag)])

            #expect(late.status == 412 && late.problem == "precondition-failed")
            #expect(try await service.request("DELETE", Self.path + "?force=true").status == 400)
            let now = try #require(try await service.request("GET", Self.path)["etag"])
            #expect(try await service.request("DELETE", Self.path, fields: [("If-Match", now)]).status == 204)
            #expect(try await service.request("PUT", Self.path, "{}", fields: [("If-None-Match", "*")]).status == 201)
        }
    }
}
