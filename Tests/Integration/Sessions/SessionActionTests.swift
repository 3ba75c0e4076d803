import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing
import Transfer

@testable import Service

/// Actions on all downloads of a session, as workers meet them.
@Suite(.hangLimit)
struct SessionActionTests {
    private static let path = "/sessions/s"

    private static func act(_ action: String, _ service: TestService) async throws -> ReceivedResponse {
        try await service.send("PATCH", path, #"{"action":"\#(action)"}"#)
    }

    @Test func aSessionActionPausesResumesAndCancelsRunningDownloads() async throws {
        let gate = Signal()
        let stall = Behaviour.pace(.stall(after: 500, until: gate))
        let origin = Origin(Content(size: 2000), script: [stall])
        defer { origin.stop() }
        try await withService { service in
            var ids: [String] = []
            for index in 0..<4 { ids.append(try await service.add(origin.url("/\(index)"), #","session":"s""#)) }
            for id in ids { try await service.wait(id, receives: 500) }

            let paused = try await Self.act("pause", service)
            #expect(try paused.json["acted"]?["changed"]?.integer == 4)
            try await service.hasNoWorkers()
            #expect(try await Self.act("resume", service).json["acted"]?["changed"]?.integer == 4)
            // Each worker sends a request once it is entered.
            try await waitUntil("8 requests", after: origin.changes) {
                origin.requests.count
            } is: {
                $0 >= 8
            }
            #expect(service.running.count == 4)
            let cancelled = try await Self.act("cancel", service)

            #expect(try cancelled.json["acted"]?["changed"]?.integer == 4)
            #expect(try cancelled.json["counts"]?["cancelled"]?.integer == 4)
            try await service.hasNoWorkers()
            try await service.hasNoParts()
            gate.fire()
        }
    }

    /// It takes several steps.
    @Test func aThousandArePausedAndResumedAndEachRunsAfterwards() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        let name = try #require(SessionName("s"))
        try await withService { service in
            let item = #"{"url":"\#(origin.url("/"))","session":"s","start":false}"#
            let body = #"{"items":[\#(Array(repeating: item, count: 1000).joined(separator: ","))]}"#
            #expect(try await service.send("POST", "/downloads/batch", body).status == 201)

            let resumed = try await Self.act("resume", service)
            #expect(try resumed.json["acted"]?["matched"]?.integer == 1000)
            #expect(try resumed.json["acted"]?["changed"]?.integer == 1000)
            try await service.wait(for: [.events]) {
                try await service.store.session(name)?.counts[.completed] == 1000 ? () : nil
            }
        }
    }
}

/// Limits of sessions, as downloads that run meet them.
@Suite(.hangLimit)
struct SessionLimitTests {
    @Test func aHigherLimitLetsTheNextOfASessionBeginAtOnce() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 2000), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        try await withService { service in
            _ = try await service.send("PUT", "/sessions/s", #"{"limits":{"max_concurrent":1}}"#)
            var ids: [String] = []
            for index in 0..<4 { ids.append(try await service.add(origin.url("/\(index)"), #","session":"s""#)) }
            try await service.add(origin.url("/free"))
            await origin.requests(atLeast: 2)
            let running = DownloadFilter(states: [.running], session: SessionName("s"))
            #expect(try await service.store.downloads(running, before: nil, limit: 9).count == 1)

            _ = try await service.send("PATCH", "/sessions/s", #"{"limits":{"max_concurrent":3}}"#)
            await origin.requests(atLeast: 4)
            #expect(try await service.store.downloads(running, before: nil, limit: 9).count == 3)
            gate.fire()
            for id in ids { try await service.wait(id, .completed) }
        }
    }

    @Test func theRateOfASessionIsChangedWhileItRunsAndForgottenAfterwards() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 2000), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        let name = try #require(SessionName("s"))
        try await withService { service in
            let put = #"{"limits":{"rate_bytes_per_second":1000000}}"#
            _ = try await service.send("PUT", "/sessions/s", put)
            #expect(service.engine.rateLimit(of: name) == nil)
            let id = try await service.add(origin.url("/f"), #","session":"s""#)
            await origin.requests(atLeast: 1)
            #expect(service.engine.rateLimit(of: name) == 1_000_000)

            let patch = #"{"limits":{"rate_bytes_per_second":2000000}}"#
            _ = try await service.send("PATCH", "/sessions/s", patch)
            #expect(service.engine.rateLimit(of: name) == 2_000_000)
            gate.fire()
            try await service.advanceClock(by: .milliseconds(100), until: id, .completed)
            // Its worker lets go of it after the record of the end.
            try await poll("no limit of the session", because: .counter) { service.engine.rateLimit(of: name) == nil }
        }
    }

    @Test func aLimitThatChangesWhileClaimsAreMadeIsKeptForThem() throws {
        let running = RunningDownloads()
        let name = try #require(SessionName("s"))
        let rates = [3, 2].map { SessionRate(name: name, bytesPerSecond: 1024 * $0, revision: $0) }

        running.updateRate(of: rates[0])
        #expect(running.changedRate(of: name) == nil)
        running.beginClaim()
        for rate in rates { running.updateRate(of: rate) }
        #expect(running.changedRate(of: name) == rates[0])
        running.endClaim()
        #expect(running.changedRate(of: name) == nil)
    }
}
