import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// `PATCH /downloads/{id}`.
@Suite(.hangLimit)
struct ChangeTests {
    private static func withDownload(
        _ members: String = "",
        _ body: (TestService, String) async throws -> Void
    ) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            try await body(service, "/downloads/\(try await service.add("http://a.example/f", members))")
        }
    }

    private static let mergePatch = [("Content-Type", "application/merge-patch+json")]

    @Test func anActionMovesADownloadAndItsRepetitionChangesNothing() async throws {
        try await Self.withDownload { service, path in
            let first = try await service.request("PATCH", path, #"{"action":"pause"}"#)
            let second = try await service.request("PATCH", path, #"{"action":"pause"}"#)

            #expect(first.status == 200)
            #expect(try first.json["state"]?.text == "paused")
            #expect(try first.json["allowed_actions"]?.words == ["resume", "cancel"])
            #expect(second.status == 200)
            #expect(second["etag"] == first["etag"])
            #expect(second["accept-patch"] != nil)
        }
    }

    @Test func anActionThatTheStateForbidsSaysWhatItAllows() async throws {
        try await Self.withDownload { service, path in
            _ = try await service.request("PATCH", path, #"{"action":"cancel"}"#)
            let response = try await service.request("PATCH", path, #"{"action":"pause"}"#)

            #expect(response.status == 409)
            #expect(response.problem == "invalid-transition")
            #expect(try response.json["state"]?.text == "cancelled")
            #expect(try response.json["action"]?.text == "pause")
            #expect(try response.json["allowed_actions"]?.words == ["retry"])
        }
    }

    @Test func aRetryWhoseDedupeKeyIsTakenNamesTheDownloadThatHasIt() async throws {
        let members = #","dedupe_key":"k","start":false"#
        try await Self.withDownload(members) { service, path in
            _ = try await service.request("PATCH", path, #"{"action":"cancel"}"#)
            let holder = try await service.add("http://a.example/f", members)
            let response = try await service.request("PATCH", path, #"{"action":"retry"}"#)
            let shown = try await service.request("GET", path).json

            #expect(response.status == 409)
            #expect(response.problem == "dedupe-key-taken")
            #expect(try response.json["download_id"]?.text == holder)
            #expect(try response.json["state"]?.text == "cancelled")
            #expect(try response.json["allowed_actions"] == shown["allowed_actions"])
            try await service.act("cancel", on: holder)
            #expect(try await service.request("PATCH", path, #"{"action":"retry"}"#).status == 200)
        }
    }

    @Test func aPatchChangesMembersNameByName() async throws {
        try await Self.withDownload(#","labels":{"a":"1","b":"2"},"max_attempts":3"#) { service, path in
            let response = try await service.request(
                "PATCH",
                path,
                #"{"labels":{"a":null,"c":"3"},"max_attempts":null,"metadata":{"x":{"y":1}}}"#
            )
            let shown = try response.json

            #expect(response.status == 200)
            #expect(shown["labels"] == .object([.init("b", .string("2")), .init("c", .string("3"))]))
            #expect(shown["max_attempts"] == .null)
            #expect(shown["metadata"]?["x"]?["y"]?.integer == 1)
        }
    }

    @Test func aDescriptionIsShownChangedAndCleared() async throws {
        try await Self.withDownload(#","description":"one\ntwo""#) { service, path in
            let made = try await service.request("GET", path).json
            let changed = try await service.request("PATCH", path, #"{"description":"three"}"#)
            let refused = try await service.request("PATCH", path, #"{"description":"a\tb"}"#)
            let unchanged = try await service.request("PATCH", path, #"{"priority":1}"#)
            let cleared = try await service.request("PATCH", path, #"{"description":null}"#)

            #expect(made["description"]?.text == "one\ntwo")
            #expect(try changed.json["description"]?.text == "three")
            #expect(try changed.json["counters"]?["revision"]?.integer == 2)
            #expect(refused.status == 400)
            #expect(refused.pointers == ["/description"])
            #expect(try unchanged.json["description"]?.text == "three")
            #expect(try cleared.json["description"] == .null)
        }
    }

    @Test func priorityAndTimeAreShownAndChanged() async throws {
        try await Self.withDownload(#","priority":7,"not_before_at":"2026-01-02T00:00:00Z""#) { service, path in
            let made = try await service.request("GET", path).json
            let moved = try await service.request(
                "PATCH",
                path,
                #"{"priority":-3,"not_before_at":"2026-01-03T00:00:00Z"}"#
            )
            let cleared = try await service.request("PATCH", path, #"{"not_before_at":null}"#)

            #expect(made["priority"]?.integer == 7)
            #expect(made["state"]?.text == "waiting")
            #expect(made["waiting_for"]?.text == "schedule")
            #expect(made["next_attempt_at"]?.text == "2026-01-02T00:00:00.000Z")
            #expect(try moved.json["priority"]?.integer == -3)
            #expect(try moved.json["next_attempt_at"]?.text == "2026-01-03T00:00:00.000Z")
            #expect(try cleared.json["state"]?.text == "queued")
            #expect(try cleared.json["not_before_at"] == .null)
        }
    }

    @Test(arguments: [
        (#"{"priority":101}"#, 400, "/priority"), (#"{"priority":null}"#, 400, "/priority"),
        (#"{"priority":"high"}"#, 400, "/priority"), (#"{"not_before_at":"soon"}"#, 400, "/not_before_at"),
        (#"{"not_before_at":"2026-01-04T00:00:00Z","deadline_at":"2026-01-03T00:00:00Z"}"#, 422, "/not_before_at"),
    ])
    func aTimeOrPriorityThatCannotBeIsRefused(_ body: String, _ status: Int, _ pointer: String) async throws {
        try await Self.withDownload { service, path in
            let response = try await service.request("PATCH", path, body)

            #expect(response.status == status)
            #expect(response.pointers == [pointer])
        }
    }

    @Test(arguments: [#"{"action":"pause"}"#, #"{"priority":1}"#])
    func aMergePatchIsRefusedByItsMediaType(_ body: String) async throws {
        try await Self.withDownload { service, path in
            let response = try await service.request("PATCH", path, body, fields: Self.mergePatch)

            #expect(response.status == 415)
            #expect(response["accept-patch"] == "application/json")
            #expect(try await service.request("GET", path).json["counters"]?["revision"]?.integer == 1)
        }
    }

    @Test(arguments: [
        ("{}", "invalid-request", [""]), (#"{"action":"stop"}"#, "invalid-request", ["/action"]),
        (#"{"state":"paused"}"#, "invalid-request", ["/state"]),
        (#"{"url":null}"#, "invalid-request", ["/url"]),
        (#"{"keep_partial":true}"#, "invalid-request", ["/action"]),
        (#"{"action":"pause","action":"cancel"}"#, "invalid-json", []),
    ])
    func aChangeThatCannotBeTakenIsRefusedWithItsPlace(
        _ body: String,
        _ problem: String,
        _ pointers: [String]
    ) async throws {
        try await Self.withDownload { service, path in
            let response = try await service.request("PATCH", path, body)

            #expect(response.status == 400)
            #expect(response.problem == problem)
            #expect(response.pointers == pointers)
        }
    }

    @Test func sourceMembersOfARunningDownloadAreLocked() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 10), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url())
            try await service.wait(id, .running)
            let response = try await service.request("PATCH", "/downloads/\(id)", #"{"url":"http://b.example/"}"#)

            #expect(response.status == 409)
            #expect(response.problem == "field-locked")
            #expect(response.pointers == ["/url"])
        }
    }

    @Test func theConnectionsAreChangedAndCleared() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/", #","limits":{"connections":2}"#)
            let shown = try await service.request("GET", "/downloads/\(id)").json
            let other = try await service.request("PATCH", "/downloads/\(id)", #"{"limits":{"connections":32}}"#).json
            let none = try await service.request("PATCH", "/downloads/\(id)", #"{"limits":{"connections":null}}"#).json

            #expect(shown["limits"]?["connections"]?.integer == 2)
            #expect(other["limits"]?["connections"]?.integer == 32)
            #expect(none["limits"]?["connections"] == .null)
        }
    }

    @Test func moreConnectionsThanTheOperatorAllowsAreRefused() async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.jobs.maxConnectionsPerDownload = 12
        }
        try await withService(options) { service in
            let body = #"{"url":"http://a.example/","limits":{"connections":"#
            let refused = try await service.request("POST", "/downloads", body + "13}}")
            let id = try await service.add("http://a.example/", #","limits":{"connections":12}"#)
            let change = try await service.request("PATCH", "/downloads/\(id)", #"{"limits":{"connections":13}}"#)

            #expect(refused.status == 422 && refused.problem == "unprocessable")
            #expect(refused.pointers == ["/limits/connections"])
            #expect(change.status == 422 && change.pointers == ["/limits/connections"])
            #expect(try await service.show(id)["limits"]?["connections"]?.integer == 12)
        }
    }

    @Test func theRateOfARunningDownloadIsChanged() async throws {
        let content = Content(size: 1 << 20)
        let origin = Origin(content, script: [.good])
        defer { origin.stop() }
        try await withService { service in
            let limits = #","limits":{"rate_bytes_per_second":1024}"#
            let id = try await service.add(origin.url(), limits)
            try await service.wait(id, .running)
            let lower = try await service.request(
                "PATCH",
                "/downloads/\(id)",
                #"{"limits":{"max_bytes":2000000}}"#
            )
            let none = try await service.request(
                "PATCH",
                "/downloads/\(id)",
                #"{"limits":{"rate_bytes_per_second":null}}"#
            )

            #expect(try lower.json["limits"]?["rate_bytes_per_second"]?.integer == 1024)
            #expect(try none.json["limits"]?["rate_bytes_per_second"] == .null)
            // At the old rate it would take a quarter of an hour of a clock that stands still.
            try await service.wait(id, .completed)
        }
    }

    @Test func anotherOriginDoesNotGetTheHeadersOfTheFirst() async throws {
        try await Self.withDownload(#","request_headers":{"X-Key":"k"}"#) { service, path in
            let same = try await service.request("PATCH", path, #"{"url":"http://a.example/g"}"#)
            let other = try await service.request("PATCH", path, #"{"url":"http://b.example/g"}"#)

            #expect(try same.json["request_headers"]?.names == ["X-Key"])
            #expect(try other.json["request_headers"]?.names == [])
        }
    }

    @Test func anUnknownDownloadIsNotFound() async throws {
        try await Self.withDownload { service, _ in
            let path = "/downloads/dl_01kdyak3seeejr3cp3tkjzc1rr"
            for method in ["GET", "PATCH", "DELETE"] {
                let response = try await service.request(method, path, method == "PATCH" ? #"{"action":"pause"}"# : nil)

                #expect(response.status == 404)
                #expect(response.problem == "not-found")
            }
        }
    }

    // MARK: - Preconditions

    @Test func aTagThatIsNotTheCurrentOneChangesNothing() async throws {
        try await Self.withDownload { service, path in
            let tag = try #require(try await service.request("GET", path)["etag"])
            let wrong = try await service.request(
                "PATCH",
                path,
                #"{"action":"pause"}"#,
                fields: [("If-Match", #""9.9""#)]
            )
            let weak = try await service.request(
                "PATCH",
                path,
                #"{"action":"pause"}"#,
                fields: [("If-Match", "W/\(tag)")]
            )
            let right = try await service.request(
                "PATCH",
                path,
                #"{"action":"pause"}"#,
                fields: [("If-Match", "\"x\", \(tag)")]
            )
            let late = try await service.request("DELETE", "\(path)?force=true", fields: [("If-Match", tag)])

            #expect(wrong.status == 412)
            #expect(wrong.problem == "precondition-failed")
            #expect(weak.status == 412)
            #expect(right.status == 200)
            #expect(late.status == 412)
        }
    }

    @Test func aRunningDownloadsTagChangesWithEachReading() async throws {
        let origin = Origin(Content(size: 10), script: [.pace(.stallBeforeHead(until: Signal()))])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url())
            // The record is `running` a moment before there is a reading; once the origin is asked there is one.
            await origin.requests(atLeast: 1)
            let path = "/downloads/\(id)"
            let tag = try #require(try await service.request("GET", path)["etag"])
            let unchanged = try await service.request("GET", path, fields: [("If-None-Match", tag)])
            service.time.advance(by: .milliseconds(1))
            let later = try await service.request("GET", path, fields: [("If-None-Match", tag)])
            let refused = try await service.request("PATCH", path, #"{"action":"pause"}"#, fields: [("If-Match", tag)])
            let forced = try await service.request("PATCH", path, #"{"action":"pause"}"#, fields: [("If-Match", "*")])

            #expect(tag.contains(".probing."))
            #expect(unchanged.status == 304)
            #expect(later.status == 200)
            #expect(refused.status == 412)
            #expect(forced.status == 200)
        }
    }

    @Test(arguments: [nil, "*"])
    func aTagThatIsTheCurrentOneExcusesNoOtherRevision(_ given: String?) async throws {
        try await Self.withDownload { service, path in
            let tag = try #require(try await service.request("GET", path)["etag"])
            let fields = [("If-Match", given ?? tag)]
            let wrong = try await service.request(
                "PATCH",
                path,
                #"{"action":"cancel","expected_revision":9}"#,
                fields: fields
            )
            let right = try await service.request(
                "PATCH",
                path,
                #"{"action":"cancel","expected_revision":1}"#,
                fields: fields
            )

            #expect(wrong.status == 409 && wrong.problem == "revision-mismatch")
            #expect(try wrong.json["revision"]?.integer == 1)
            #expect(right.status == 200)
        }
    }

    @Test func aRevisionThatIsTheCurrentOneExcusesNoOtherTag() async throws {
        try await Self.withDownload { service, path in
            let body = #"{"action":"cancel","expected_revision":1}"#
            let response = try await service.request("PATCH", path, body, fields: [("If-Match", #""9.9""#)])

            #expect(response.status == 412)
        }
    }

    @Test func aRevisionThatIsNotTheCurrentOneChangesNothing() async throws {
        try await Self.withDownload { service, path in
            let wrong = try await service.request("PATCH", path, #"{"action":"pause","expected_revision":9}"#)
            let right = try await service.request("PATCH", path, #"{"action":"pause","expected_revision":1}"#)

            #expect(wrong.status == 409)
            #expect(wrong.problem == "revision-mismatch")
            #expect(try wrong.json["revision"]?.integer == 1)
            #expect(right.status == 200)
        }
    }

    @Test func anUnchangedResourceIsNotSentAgain() async throws {
        try await Self.withDownload { service, path in
            let tag = try #require(try await service.request("GET", path)["etag"])
            for condition in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let response = try await service.request("GET", path, fields: [("If-None-Match", condition)])

                #expect(response.status == 304)
                #expect(response["etag"] == tag)
                #expect(response.body.isEmpty)
            }
            _ = try await service.request("PATCH", path, #"{"action":"pause"}"#)
            #expect(try await service.request("GET", path, fields: [("If-None-Match", tag)]).status == 200)
        }
    }
}
