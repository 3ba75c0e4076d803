import API
import Core
import ServiceSupport
import TestSupport
import Testing

/// `PUT` and `PATCH /sessions/{name}`.
@Suite(.hangLimit)
struct SessionTests {
    private static let path = "/sessions/com.example:sync"
    private static let limits = #"{"limits":{"rate_bytes_per_second":4096,"max_concurrent":3},"labels":{"env":"prod"}}"#
    private static let mergePatch = [("Content-Type", "application/merge-patch+json")]

    private static func withSession(_ body: (TestService) async throws -> Void) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            #expect(try await service.request("PUT", path, limits).status == 201)
            try await body(service)
        }
    }

    @Test func aDescriptionIsSetChangedAndRemoved() async throws {
        try await withService { service in
            let put = try await service.request("PUT", "/sessions/s", #"{"description":"The files of the lab."}"#)
            let patched = try await service.request("PATCH", "/sessions/s", #"{"description":"Others."}"#)
            let removed = try await service.request("PATCH", "/sessions/s", #"{"description":null}"#)

            #expect(try put.json["description"]?.text == "The files of the lab.")
            #expect(try patched.json["description"]?.text == "Others.")
            #expect(try patched.json["counters"]?["revision"]?.integer == 2)
            #expect(try removed.json["description"] == .null)
        }
    }

    @Test(arguments: ["\"\(String(repeating: "x", count: 1025))\"", #""a\u0007""#, "1"])
    func aWrongDescriptionIsRefused(_ value: String) async throws {
        try await withService { service in
            for method in ["PUT", "PATCH"] {
                _ = try await service.request("PUT", "/sessions/s", "{}")
                let response = try await service.request(method, "/sessions/s", #"{"description":\#(value)}"#)
                #expect(response.status >= 400 && response.status < 500)
                #expect(try response.json["errors"]?.items.first?["pointer"]?.text == "/description")
            }
        }
    }

    @Test func aPutMakesASessionOrReplacesWhatWasSaidOfIt() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let made = try await service.request("PUT", Self.path, Self.limits)
            let again = try await service.request("PUT", Self.path, Self.limits)
            let replaced = try await service.request("PUT", Self.path, #"{"limits":{"max_concurrent":1}}"#)
            let cleared = try await service.request("PUT", Self.path, "{}")

            #expect(made.status == 201)
            #expect(made["location"] == Self.path)
            #expect(try made.json["limits"]?["rate_bytes_per_second"]?.integer == 4096)
            #expect(try made.json["limits"]?["max_concurrent"]?.integer == 3)
            #expect(try made.json["labels"]?["env"]?.text == "prod")
            #expect(again.status == 200 && again["etag"] == made["etag"])
            #expect(try replaced.json["limits"]?["rate_bytes_per_second"] == .null)
            #expect(try replaced.json["counters"]?["revision"]?.integer == 2)
            #expect(try cleared.json["labels"] == .object([]))
            #expect(try await service.request("GET", Self.path).json == cleared.json)
            #expect(try await service.request("GET", "/sessions").json["items"]?.items == [cleared.json])
        }
    }

    @Test func aPutThatIsToMakeASessionIsRefusedWhereThereIsOne() async throws {
        try await Self.withSession { service in
            let refused = try await service.request("PUT", Self.path, "{}", fields: [("If-None-Match", "*")])
            let made = try await service.request("PUT", "/sessions/new", "{}", fields: [("If-None-Match", "*")])

            #expect(refused.status == 412 && refused.problem == "precondition-failed")
            #expect(made.status == 201)
            #expect(try await service.request("GET", Self.path).json["counters"]?["revision"]?.integer == 1)
        }
    }

    @Test func aSessionThatADownloadMadeCanBeLimitedAndKeepsItsDownloads() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            try await service.add("http://a.example/", #","session":"s""#)
            let put = try await service.request("PUT", "/sessions/s", #"{"limits":{"max_concurrent":1}}"#)

            #expect(put.status == 200)
            #expect(try put.json["open_count"]?.integer == 1)
            #expect(try put.json["counts"]?["queued"]?.integer == 1)
        }
    }

    @Test func aPatchChangesWhatItNames() async throws {
        try await Self.withSession { service in
            let body = #"{"limits":{"max_concurrent":null},"labels":{"env":null,"a":"b"}}"#
            let patched = try await service.request("PATCH", Self.path, body)
            let json = try await service.request("PATCH", Self.path, #"{"limits":{"max_concurrent":9}}"#)
            let cleared = try await service.request("PATCH", Self.path, #"{"limits":null}"#)

            #expect(patched.status == 200)
            #expect(try patched.json["limits"]?["rate_bytes_per_second"]?.integer == 4096)
            #expect(try patched.json["limits"]?["max_concurrent"] == .null)
            #expect(try patched.json["labels"] == .object([.init("a", .string("b"))]))
            #expect(try json.json["limits"]?["max_concurrent"]?.integer == 9)
            #expect(try cleared.json["limits"]?["rate_bytes_per_second"] == .null)
            #expect(try cleared.json["labels"]?["a"]?.text == "b")
        }
    }

    @Test func aPatchMakesNoSession() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let patch = try await service.request("PATCH", Self.path, Self.limits)
            let put = try await service.request("PUT", Self.path, "{}", fields: [("If-Match", "*")])

            #expect(patch.status == 404)
            #expect(put.status == 412)
            #expect(try await service.request("GET", Self.path).status == 404)
        }
    }

    @Test(arguments: [
        (#"{"limits":{"max_concurrent":0}}"#, "/limits/max_concurrent"),
        (#"{"limits":{"rate_bytes_per_second":1023}}"#, "/limits/rate_bytes_per_second"),
        (#"{"limits":{"connections":1}}"#, "/limits/connections"), (#"{"limits":3}"#, "/limits"),
        (#"{"labels":{"a":1}}"#, "/labels/a"), (#"{"name":"x"}"#, "/name"), ("[]", ""),
    ])
    func invalidMembersOfASessionAreRefused(_ body: String, _ pointer: String) async throws {
        try await Self.withSession { service in
            for method in ["PUT", "PATCH"] {
                let response = try await service.request(method, Self.path, body)

                #expect(response.status == 400, "\(method)")
                #expect(response.pointers == [pointer], "\(method)")
            }
            #expect(try await service.request("GET", Self.path).json["counters"]?["revision"]?.integer == 1)
        }
    }

    @Test func aBodyOfAnotherMediaTypeIsRefused() async throws {
        try await Self.withSession { service in
            #expect(try await service.request("PUT", Self.path, "{}", fields: Self.mergePatch).status == 415)
            let patch = try await service.request("PATCH", Self.path, "{}", fields: [("Content-Type", "text/plain")])
            #expect(patch.status == 415)
            #expect(patch["accept-patch"] == "application/json")
        }
    }

    @Test func theEntityTagChangesWithWhateverIsShownAndGuardsChanges() async throws {
        try await Self.withSession { service in
            let first = try #require(try await service.request("GET", Self.path)["etag"])
            #expect(try await service.request("GET", Self.path, fields: [("If-None-Match", first)]).status == 304)
            try await service.add("http://a.example/", #","session":"com.example:sync""#)
            let second = try #require(try await service.request("GET", Self.path)["etag"])
            #expect(second != first)

            for method in ["PUT", "PATCH"] {
                let body = #"{"labels":{"by":"\#(method)"}}"#
                let refused = try await service.request(method, Self.path, body, fields: [("If-Match", first)])
                #expect(refused.status == 412 && refused.problem == "precondition-failed")
            }
            let body = #"{"labels":{"by":"me"}}"#
            #expect(try await service.request("PATCH", Self.path, body, fields: [("If-Match", second)]).status == 200)
            let third = try #require(try await service.request("GET", Self.path)["etag"])
            #expect(try await service.request("PUT", Self.path, "{}", fields: [("If-Match", third)]).status == 200)
        }
    }

    @Test func aChangeThatExpectsAnotherRevisionIsRefused() async throws {
        try await Self.withSession { service in
            let body = #"{"limits":null,"expected_revision":"#
            let refused = try await service.request("PATCH", Self.path, body + "2}")

            #expect(refused.status == 409 && refused.problem == "revision-mismatch")
            #expect(try refused.json["revision"]?.integer == 1)
            let matched = try await service.request("PATCH", Self.path, body + "2}", fields: [("If-Match", "*")])
            #expect(matched.status == 409 && matched.problem == "revision-mismatch")
            #expect(
                try await service.request("PATCH", Self.path, body + "1}", fields: [("If-Match", "*")]).status == 200
            )
        }
    }
}
