import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing

/// `POST /downloads/actions` and `GET /operations/{id}`, held against `openapi.yaml` with each answer.
@Suite(.hangLimit)
struct OperationTests {
    static let path = "/downloads/actions"

    /// Begins an operation and waits for its end.
    private static func finished(_ body: String, _ service: TestService) async throws -> JSONValue {
        let answer = try await service.request("POST", path, body)
        #expect(answer.status == 202)
        let target = try #require(answer["location"])
        #expect(try answer.json["id"]?.text.map { "/operations/\($0)" } == target)
        return try await service.wait(for: [.events]) {
            let operation = try await service.request("GET", target).json
            return operation["state"]?.text == "finished" ? operation : nil
        }
    }

    @Test func anOperationPausesResumesAndCancelsRunningDownloads() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 2000), script: [.pace(.stall(after: 500, until: gate))])
        defer { origin.stop() }
        try await withService { service in
            var ids: [String] = []
            for index in 0..<4 { ids.append(try await service.add(origin.url("/\(index)"))) }
            for id in ids { try await service.wait(id, receives: 500) }

            let paused = try await Self.finished(#"{"action":"pause","filter":{}}"#, service)
            #expect(paused["changed"]?.integer == 4 && paused["matched"]?.integer == 4)
            try await service.hasNoWorkers()
            let resumed = try await Self.finished(#"{"action":"resume","filter":{"state":["paused"]}}"#, service)
            #expect(resumed["changed"]?.integer == 4)
            let cancelled = try await Self.finished(#"{"action":"cancel","filter":{}}"#, service)
            #expect(cancelled["changed"]?.integer == 4)
            try await service.hasNoWorkers()
            try await service.hasNoParts()
            gate.fire()
        }
    }

    @Test func finishedFilesAreDeletedWithTheirRecordsOrLeft() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let first = try await service.add(origin.url("/a"))
            let second = try await service.add(origin.url("/b"))
            for id in [first, second] { try await service.wait(id, .completed) }

            let kept = try await Self.finished(#"{"action":"delete","ids":["\#(first)"],"delete_file":false}"#, service)
            #expect(kept["changed"]?.integer == 1)
            try await service.names(in: "downloads", are: ["a", "b"])
            let deleted = try await Self.finished(#"{"action":"delete","filter":{"state":["completed"]}}"#, service)
            #expect(deleted["changed"]?.integer == 1 && deleted["delete_file"] == .bool(true))
            try await service.names(in: "downloads", are: ["a"])
            #expect(try await service.request("GET", "/downloads/\(second)").status == 404)
        }
    }

    @Test func aThousandArePausedInSteps() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let items = Array(repeating: #"{"url":"http://a.example/"}"#, count: 1000).joined(separator: ",")
            let body = #"{"items":[\#(items)]}"#
            #expect(try await service.send("POST", "/downloads/batch", body).status == 201)

            let dry = try await Self.finished(#"{"action":"pause","filter":{},"dry_run":true}"#, service)
            #expect(dry["changed"]?.integer == 1000)
            #expect(try await service.store.totals().downloads.counts[.queued] == 1000)
            let paused = try await Self.finished(#"{"action":"pause","filter":{}}"#, service)
            #expect(paused["changed"]?.integer == 1000)
            let again = try await Self.finished(#"{"action":"pause","filter":{}}"#, service)
            #expect(again["unchanged"]?.integer == 1000 && again["changed"]?.integer == 0)
        }
    }

    /// An earlier process did one step of it.
    @Test func aRestartGoesOnWithIt() async throws {
        let id = OperationID(at: Timestamp(milliseconds: 0))
        let options = TestService.Options.with { options in
            options.runsScheduler = false
            options.prepare = { store in
                let now = Timestamp(milliseconds: 0)
                for _ in 0..<5 {
                    let request = DownloadRequest(url: "http://a.example/")
                    let new = NewDownload(
                        id: DownloadID(at: now),
                        request: request,
                        starts: true,
                        deadlineAt: now + .seconds(1 << 40)
                    )
                    _ = try await store.create([new], atomically: true, now: now)
                }
                _ = try await store.createOperation(id, BulkRequest(action: .pause), now: now)
                let batch = try #require(try await store.nextBatch(limit: 2))
                _ = try await store.carryOut(batch, timeLimit: .seconds(60), now: now)
            }
        }
        try await withService(options) { service in
            let operation = try await service.wait(for: [.events]) {
                let operation = try await service.request("GET", "/operations/\(id)").json
                return operation["state"]?.text == "finished" ? operation : nil
            }
            #expect(operation["changed"]?.integer == 5 && operation["matched"]?.integer == 5)
            #expect(try await service.store.totals().downloads.counts == [.paused: 5])
        }
    }

    @Test func streamsTellItsEnd() async throws {
        try await withService { service in
            let operation = try await Self.finished(#"{"action":"pause","filter":{}}"#, service)
            let page = try await service.request("GET", "/events?types=operation.*").json

            let event = try #require(page["items"]?.items.first)
            #expect(event["type"]?.text == "operation.finished")
            #expect(event["data"]?["id"] == operation["id"])
            #expect(event["data"]?["matched"]?.integer == 0)
        }
    }

    @Test func aRepeatedRequestBeginsNoOther() async throws {
        try await withService { service in
            let body = #"{"action":"pause","filter":{}}"#
            let first = try await service.request("POST", Self.path, body, fields: [("Idempotency-Key", "a")])
            let second = try await service.request("POST", Self.path, body, fields: [("Idempotency-Key", "a")])

            #expect(try first.json["id"] == second.json["id"])
            #expect(second["idempotency-replayed"] == "true")
        }
    }

    static let refusals: [(body: String, pointer: String, code: String)] = [
        (#"{"filter":{}}"#, "/action", "required"),
        (#"{"action":"stop","filter":{}}"#, "/action", "unknown_word"),
        (#"{"action":"pause"}"#, "/filter", "required"),
        (#"{"action":"pause","filter":null}"#, "/filter", "required"),
        (#"{"action":"pause","filter":{},"ids":["dl_01kdyak3seeejr3cp3tkjzc1rr"]}"#, "/ids", "forbidden"),
        (#"{"action":"pause","ids":[]}"#, "/ids", "out_of_range"),
        (#"{"action":"pause","ids":["whk_01kdyak3seeejr3cp3tkjzc1rr"]}"#, "/ids/0", "malformed"),
        (
            #"{"action":"pause","ids":["dl_01kdyak3seeejr3cp3tkjzc1rr","dl_01kdyak3seeejr3cp3tkjzc1rr"]}"#, "/ids/1",
            "malformed"
        ),
        (#"{"action":"pause","filter":{"state":null}}"#, "/filter/state", "wrong_type"),
        (#"{"action":"pause","filter":{"state":[]}}"#, "/filter/state", "out_of_range"),
        (#"{"action":"pause","filter":{"state":["done"]}}"#, "/filter/state/0", "unknown_word"),
        (#"{"action":"pause","filter":{"state":["queued","queued"]}}"#, "/filter/state/1", "malformed"),
        (#"{"action":"pause","filter":{"state":"queued"}}"#, "/filter/state", "wrong_type"),
        (#"{"action":"pause","filter":{"state":[1]}}"#, "/filter/state/0", "wrong_type"),
        (#"{"action":"pause","filter":{"label":["env"]}}"#, "/filter/label/0", "malformed"),
        (#"{"action":"pause","filter":{"host":"a.example:0"}}"#, "/filter/host", "malformed"),
        (#"{"action":"pause","filter":{"error_code":"lost"}}"#, "/filter/error_code", "unknown_word"),
        (#"{"action":"pause","filter":{"created_before":"1"}}"#, "/filter/created_before", "malformed"),
        (#"{"action":"pause","filter":{"finished_after":1}}"#, "/filter/finished_after", "wrong_type"),
        (#"{"action":"pause","filter":{"q":""}}"#, "/filter/q", "malformed"),
        (#"{"action":"pause","filter":{"id":["dl_x"]}}"#, "/filter/id/0", "malformed"),
        (#"{"action":"pause","filter":{"session":"a b"}}"#, "/filter/session", "malformed"),
        (#"{"action":"pause","filter":{"states":["failed"]}}"#, "/filter/states", "unknown_member"),
        (#"{"action":"pause","filter":{},"force":true}"#, "/force", "forbidden"),
        (#"{"action":"delete","filter":{},"keep_partial":true}"#, "/keep_partial", "forbidden"),
    ]

    @Test(arguments: refusals)
    func aWrongMemberIsRefused(_ body: String, _ pointer: String, _ code: String) async throws {
        try await withService { service in
            let answer = try await service.request("POST", Self.path, body)

            #expect(answer.status == 400)
            let error = try answer.json["errors"]?.items.first
            #expect(error?["pointer"]?.text == pointer && error?["code"]?.text == code)
        }
    }

    /// The members of `filter` are the parameters of a list: both select the same downloads.
    @Test func aFilterSelectsWhatTheListShows() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let first = try await service.add("http://a.example/one.iso", #","session":"s","labels":{"env":"prod"}"#)
            let between = Instant.text(service.time.now)
            service.time.advance(by: .seconds(1))
            let second = try await service.add("http://b.example:8080/two", #","labels":{"env":"a:b"}"#)
            try await service.act("cancel", on: second)

            for (query, filter) in [
                ("state=cancelled,queued", #""state":["cancelled","queued"]"#), ("session=s", #""session":"s""#),
                ("label=env:a:b", #""label":["env:a:b"]"#),
                ("host=B.example", #""host":"B.example""#), ("host=b.example:80", #""host":"b.example:80""#),
                ("error_code=timeout", #""error_code":"timeout""#), ("q=ISO", #""q":"ISO""#),
                ("created_after=\(between)", #""created_after":"\#(between)""#),
                ("created_before=\(between)", #""created_before":"\#(between)""#),
                ("finished_after=\(between)", #""finished_after":"\#(between)""#),
                ("finished_before=\(between)", #""finished_before":"\#(between)""#),
                ("id=\(first)", #""id":["\#(first)"]"#),
            ] {
                let total = try await service.request("GET", "/downloads?count=true&\(query)").json["total"]?.integer
                let body = #"{"action":"delete","dry_run":true,"filter":{\#(filter)}}"#
                let operation = try await Self.finished(body, service)
                #expect(operation["matched"]?.integer == total, "\(query)")
                #expect(operation["filter"]?.names == [String(query.prefix { $0 != "=" })], "\(query)")
            }
        }
    }

    @Test func overAHundredIDsAreRefused() async throws {
        try await withService { service in
            let ids = (0..<101).map { #""\#(DownloadID(at: Timestamp(milliseconds: 0), number: $0))""# }
            let body = #"{"action":"pause","ids":[\#(ids.joined(separator: ","))]}"#
            let answer = try await service.request("POST", Self.path, body)

            #expect(answer.status == 400)
            #expect(try answer.json["errors"]?.items.first?["code"]?.text == "too_many")
        }
    }

    @Test func anUnknownOperationIsNotFound() async throws {
        try await withService { service in
            let answer = try await service.request("GET", "/operations/op_01kdyak3seeejr3cp3tkjzc1rr")
            #expect(answer.status == 404)
            #expect(try await service.request("GET", "/operations/dl_01kdyak3seeejr3cp3tkjzc1rr").status == 404)
        }
    }
}
