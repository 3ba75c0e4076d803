import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// `/limits`, and the limits of hosts.
@Suite(.hangLimit)
struct LimitsTests {
    private static let mergePatch = [("Content-Type", "application/merge-patch+json")]

    private static let options = TestService.Options.with {
        $0.runsScheduler = false
        $0.engine.rateLimit = 10_000
        $0.engine.rateLimitPerHost = 20_000
    }

    /// The clock of a test begins on Thursday, 2026-01-01, at midnight.
    private static func window(_ rate: String, from: String = "00:00", to: String = "01:00") -> String {
        #"{"days":["thu"],"from":"\#(from)","to":"\#(to)","rate_bytes_per_second":\#(rate)}"#
    }

    // MARK: - The service

    @Test func theSettingsAreShownUntilSomethingElseIsSaid() async throws {
        try await withService(Self.options) { service in
            let limits = try await service.request("GET", "/limits").json

            #expect(limits["rate_bytes_per_second"]?.integer == 10_000)
            #expect(limits["rate_bytes_per_second_per_host"]?.integer == 20_000)
            #expect(limits["rate_schedule"]?.items == [])
            #expect(limits["replaced"]?.items == [])
            #expect(limits["now"]?["rate_bytes_per_second"]?.integer == 10_000)
            #expect(limits["now"]?["source"]?.text == "limit")
            #expect(limits["counters"]?["revision"]?.integer == 0 && limits["updated_at"] == .null)
        }
    }

    @Test func aPatchHoldsAtOnceAndAfterARestart() async throws {
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let shown = try await withService(Self.options, folder: folder, time: time) { service in
            let body = #"{"rate_bytes_per_second":4096}"#
            let patched = try await service.request("PATCH", "/limits", body)
            let again = try await service.request("PATCH", "/limits", body)

            #expect(patched.status == 200 && again.status == 200)
            #expect(again["etag"] == patched["etag"])
            #expect(try patched.json["rate_bytes_per_second"]?.integer == 4096)
            #expect(try patched.json["rate_bytes_per_second_per_host"]?.integer == 20_000)
            #expect(try patched.json["replaced"]?.items == [.string("rate_bytes_per_second")])
            #expect(try again.json["counters"]?["revision"]?.integer == 1)
            #expect(service.engine.sharedRates == SharedRates(server: 4096, perHost: 20_000))
            return try again.json
        }
        // The setting is another one by now, and what was said stays.
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.engine.rateLimit = 99_999
            $0.engine.rateLimitPerHost = 20_000
        }
        try await withService(options, folder: folder, time: time) { service in
            let limits = try await service.request("GET", "/limits").json

            #expect(limits == shown)
            #expect(service.engine.sharedRates == SharedRates(server: 4096, perHost: 20_000))
        }
    }

    @Test func zeroIsNoLimitAndNullIsTheSetting() async throws {
        try await withService(Self.options) { service in
            let body = #"{"rate_bytes_per_second":0,"rate_bytes_per_second_per_host":0}"#
            let lifted = try await service.request("PATCH", "/limits", body)
            #expect(try lifted.json["rate_bytes_per_second"]?.integer == 0)
            #expect(try lifted.json["now"]?["rate_bytes_per_second"] == .null)
            #expect(try lifted.json["replaced"]?.items.count == 2)
            #expect(service.engine.sharedRates == SharedRates())

            let cleared = try await service.request("PATCH", "/limits", #"{"rate_bytes_per_second":null}"#)
            #expect(try cleared.json["rate_bytes_per_second"]?.integer == 10_000)
            #expect(try cleared.json["replaced"]?.words == ["rate_bytes_per_second_per_host"])
            #expect(service.engine.sharedRates == SharedRates(server: 10_000))
        }
    }

    @Test func aPutWithoutAMemberIsItsSetting() async throws {
        try await withService(Self.options) { service in
            let body = #"{"rate_bytes_per_second":null,"rate_bytes_per_second_per_host":4096}"#
            #expect(try await service.request("PATCH", "/limits", #"{"rate_bytes_per_second":0}"#).status == 200)
            let put = try await service.request("PUT", "/limits", body)
            #expect(put.status == 200)
            #expect(service.engine.sharedRates == SharedRates(server: 10_000, perHost: 4096))
            let cleared = try await service.request("PUT", "/limits", "{}")
            #expect(try cleared.json["replaced"]?.items == [])
            #expect(service.engine.sharedRates == SharedRates(server: 10_000, perHost: 20_000))
        }
    }

    @Test func aWindowOfTheScheduleHoldsOverAPatchWhileItLasts() async throws {
        try await withService(Self.options) { service in
            let windows = "[\(Self.window("4096")),\(Self.window("0", from: "02:00", to: "03:00"))]"
            let body = #"{"rate_bytes_per_second":8192,"rate_schedule":\#(windows)}"#
            let patched = try await service.request("PATCH", "/limits", body).json
            #expect(patched["rate_bytes_per_second"]?.integer == 8192)
            #expect(patched["now"]?["rate_bytes_per_second"]?.integer == 4096)
            #expect(patched["now"]?["source"]?.text == "schedule")
            #expect(patched["now"]?["since_at"]?.text == "2026-01-01T00:00:00.000Z")
            #expect(patched["now"]?["until_at"]?.text == "2026-01-01T01:00:00.000Z")
            #expect(patched["now"]?["utc_offset_minutes"]?.integer == 0)
            #expect(service.engine.sharedRates.server == 4096)

            service.time.advance(by: .seconds(3600))
            service.rates.apply()
            #expect(service.engine.sharedRates.server == 8192)
            service.time.advance(by: .seconds(3600))
            service.rates.apply()
            #expect(service.engine.sharedRates.server == nil)
            let lifted = try await service.request("GET", "/limits").json
            #expect(lifted["now"]?["rate_bytes_per_second"] == .null)
            #expect(lifted["now"]?["source"]?.text == "schedule")

            let ended = try await service.request("PATCH", "/limits", #"{"rate_schedule":null}"#).json
            #expect(ended["rate_schedule"]?.items == [] && ended["replaced"]?.words == ["rate_bytes_per_second"])
            #expect(service.engine.sharedRates.server == 8192)
        }
    }

    @Test(arguments: [
        (#"{"rate_bytes_per_second":1023}"#, "/rate_bytes_per_second"),
        (#"{"rate_bytes_per_second":"1MiB"}"#, "/rate_bytes_per_second"),
        (#"{"rate_bytes_per_second_per_host":-1}"#, "/rate_bytes_per_second_per_host"),
        (#"{"paused":1}"#, "/paused"),
        (
            #"{"rate_schedule":[{"rate_bytes_per_second":4096,"paused":true,"days":["mon"],"#
                + #""from":"08:00","to":"09:00"}]}"#,
            "/rate_schedule/0/rate_bytes_per_second"
        ),
        (
            #"{"rate_schedule":[{"days":["mon"],"from":"08:00","to":"09:00","paused":false}]}"#,
            "/rate_schedule/0/rate_bytes_per_second"
        ),
        (#"{"rate_schedule":{}}"#, "/rate_schedule"), (#"{"rate_schedule":[1]}"#, "/rate_schedule/0"),
        (#"{"rate_schedule":[\#(window("null"))]}"#, "/rate_schedule/0/rate_bytes_per_second"),
        (#"{"rate_schedule":[\#(window("0", from: "24:00"))]}"#, "/rate_schedule/0/from"),
        (#"{"rate_schedule":[\#(window("0", to: "25:00"))]}"#, "/rate_schedule/0/to"),
        (
            #"{"rate_schedule":[{"days":["thu"],"from":"00:00","to":"01:00"}]}"#,
            "/rate_schedule/0/rate_bytes_per_second"
        ),
        (
            #"{"rate_schedule":[{"days":["thursday"],"from":"00:00","to":"01:00","rate_bytes_per_second":0}]}"#,
            "/rate_schedule/0/days"
        ), (#"{"limits":{}}"#, "/limits"), ("[]", ""),
    ])
    func invalidLimitsAreRefused(_ body: String, _ pointer: String) async throws {
        try await withService(Self.options) { service in
            for method in ["PATCH", "PUT"] {
                let response = try await service.request(method, "/limits", body)

                #expect(response.status == 400, "\(method)")
                #expect(response.pointers == [pointer], "\(method)")
            }
            #expect(try await service.request("GET", "/limits").json["counters"]?["revision"]?.integer == 0)
        }
    }

    @Test func aChangeOfAnotherRevisionIsRefused() async throws {
        try await withService(Self.options) { service in
            let first = try #require(try await service.request("GET", "/limits")["etag"])
            #expect(try await service.request("GET", "/limits", fields: [("If-None-Match", first)]).status == 304)
            let body = #"{"rate_bytes_per_second":0,"expected_revision":0}"#
            #expect(try await service.request("PATCH", "/limits", body).status == 200)

            let late = try await service.request("PATCH", "/limits", body)
            #expect(late.status == 409 && late.problem == "revision-mismatch")
            for method in ["PATCH", "PUT"] {
                let body = #"{"rate_bytes_per_second":4096}"#
                let refused = try await service.request(method, "/limits", body, fields: [("If-Match", first)])
                #expect(refused.status == 412 && refused.problem == "precondition-failed")
            }
            #expect(service.engine.sharedRates.server == nil)
            #expect(try await service.request("PATCH", "/limits", "{}").status == 400)
            #expect(try await service.request("PUT", "/limits", "{}", fields: Self.mergePatch).status == 415)
        }
    }

    @Test func limitsAreChangedWithTheTokenAlone() async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.token = "0123456789abcdef"
        }
        try await withService(options) { service in
            let other = [("Authorization", "Bearer 0123456789abcdeg")]
            for (method, path) in [("GET", "/limits"), ("PATCH", "/limits"), ("PATCH", "/hosts/a.example:443")] {
                let body = method == "GET" ? nil : "{}"
                let response = try await service.request(method, path, body, fields: other)

                #expect(response.status == 401)
            }
        }
    }

    // MARK: - Hosts

    @Test func aHostHasALimitOfItsOwnUntilItIsTakenAway() async throws {
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let (path, body) = ("/hosts/a.example:443", #"{"limits":{"rate_bytes_per_second":4096}}"#)
        try await withService(Self.options, folder: folder, time: time) { service in
            let patched = try await service.request("PATCH", path, body)
            let again = try await service.request("PATCH", path, body)

            #expect(patched.status == 200)
            #expect(try patched.json["limits"]?["rate_bytes_per_second"]?.integer == 4096)
            #expect(try again.json == patched.json)
            #expect(try await service.request("GET", path).json == patched.json)
            #expect(service.engine.sharedRates.hosts == ["a.example:443": 4096])
        }
        try await withService(Self.options, folder: folder, time: time) { service in
            #expect(service.engine.sharedRates.hosts == ["a.example:443": 4096])
            let listed = try await service.request("GET", "/hosts").json["items"]?.items
            #expect(listed?.map { $0["limits"]?["rate_bytes_per_second"]?.integer } == [4096])
            let taken = try await service.request("PATCH", path, #"{"limits":{"rate_bytes_per_second":null}}"#)
            let gone = try await service.request("PATCH", path, #"{"limits":null}"#)

            #expect(taken.status == 200 && gone.status == 200)
            #expect(try taken.json["limits"]?["rate_bytes_per_second"] == .null)
            #expect(service.engine.sharedRates.hosts.isEmpty)
            #expect(try await service.request("GET", path).status == 404)
        }
    }

    @Test(arguments: ["a.example", "A.example:443", "a.example:0", "a.example:99999", "u@a.example:80"])
    func invalidHostsAreRefused(_ authority: String) async throws {
        try await withService(Self.options) { service in
            let body = #"{"limits":{"rate_bytes_per_second":4096}}"#
            let response = try await service.request("PATCH", "/hosts/\(authority)", body)

            #expect(response.status == 404 && response.problem == "not-found")
            #expect(service.engine.sharedRates.hosts.isEmpty)
        }
    }

    @Test(arguments: [
        (#"{"limits":{"rate_bytes_per_second":1}}"#, 400), (#"{"limits":{"connections":1}}"#, 400),
        (#"{"limits":1}"#, 400), ("{}", 400), (#"{"cap":1}"#, 400),
    ])
    func unknownMembersOfAHostAreRefused(_ body: String, _ status: Int) async throws {
        try await withService(Self.options) { service in
            let response = try await service.request("PATCH", "/hosts/a.example:443", body)
            #expect(response.status == status)
            let condition = [("If-Match", #""1""#)]
            let good = #"{"limits":{"rate_bytes_per_second":4096}}"#
            #expect(try await service.request("PATCH", "/hosts/a.example:443", good, fields: condition).status == 412)
            #expect(service.engine.sharedRates.hosts.isEmpty)
        }
    }
}
