import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing
import Transfer

/// What the downloads of one host owe each other.
@Suite(.hangLimit)
struct HostSharingTests {
    private static func authority(_ origin: Origin) -> String { "127.0.0.1:\(origin.port)" }

    private static func all(_ service: TestService, _ state: DownloadState) async throws -> [Download] {
        try await service.store.downloads(DownloadFilter(states: [state]), before: nil, limit: 200)
    }

    @Test func downloadsBeyondTheConnectionsOfAHostStayInTheQueueUntilOneCloses() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 1000), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        try await withService(.with { $0.engine.connectionsPerHost = 4 }) { service in
            for index in 0..<12 { try await service.add(origin.url("/\(index)"), #","max_attempts":1"#) }
            await origin.requests(atLeast: 4)

            #expect(origin.requests.count == 4)
            #expect(try await Self.all(service, .running).count == 4)
            #expect(try await Self.all(service, .queued).count == 8)
            #expect(service.engine.hosts.snapshot(of: Self.authority(origin)).openConnections == 4)
            gate.fire()
            try await service.wait(for: [.events, .downloads]) {
                try await Self.all(service, .completed).count == 12 ? () : nil
            }
            #expect(origin.requests.count == 12)
            #expect(service.engine.hosts.snapshots.isEmpty)
        }
    }

    @Test func aLargeDownloadGivesAConnectionToOneThatWaitsForItsHost() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        // Comes to no end while the test lasts.
        let drip = Behaviour.pace(.drip(byteCount: 1 << 10, every: .milliseconds(50)))
        origin.serve("/large", Content(size: 64 << 20), script: [drip])
        let options = TestService.Options.with { options in
            options.engine.connections = 3
            options.engine.connectionsPerHost = 3
            options.engine.ramp = .unmeasured
        }
        try await withService(options) { service in
            let hosts = service.engine.hosts
            let large = try await service.add(origin.url("/large"))
            try await service.advanceClock(by: .milliseconds(10)) {
                hosts.snapshot(of: Self.authority(origin)).openConnections == 3 ? () : nil
            }
            let small = [try await service.add(origin.url("/a")), try await service.add(origin.url("/b"))]
            for id in small { try await service.advanceClock(by: .milliseconds(10), until: id, .completed, .failed) }

            #expect(try await Self.all(service, .completed).count == 2)
            #expect(try await service.record(large).state == .running)
            // What was kept for those who wait is its own again.
            try await service.advanceClock(by: .milliseconds(10)) {
                hosts.snapshot(of: Self.authority(origin)).openConnections == 3 ? () : nil
            }
        }
    }

    @Test func aHostThatRefusesIsAskedForLessUntilAllIsFetched() async throws {
        let refusals = 30
        let script = Array(repeating: Behaviour.page(429), count: refusals) + [.good]
        let origin = Origin(Content(size: 1000), script: script)
        defer { origin.stop() }
        try await withService { service in
            for index in 0..<24 { try await service.add(origin.url("/\(index)")) }
            var lowest = Int.max
            // One refusal after the other may take hours, with the longest delays. Then the host may be forgotten.
            try await service.advanceClock(by: .seconds(300)) {
                lowest = min(lowest, service.engine.hosts.snapshot(of: Self.authority(origin)).connectionLimit)
                return try await Self.all(service, .completed).count == 24 ? () : nil
            }
            let host = service.engine.hosts.snapshot(of: Self.authority(origin))

            #expect(origin.requests.count == refusals + 24)
            #expect(lowest < host.maxConnectionLimit)
            #expect(host.openConnections == 0)
        }
    }

    @Test func aHostThatFailsSeveralDownloadsIsTriedWithOneOfThem() async throws {
        let failures = 6
        let script = Array(repeating: Behaviour.page(500), count: failures) + [.good]
        let origin = Origin(Content(size: 1000), script: script)
        defer { origin.stop() }
        try await withService { service in
            let ids = [try await service.add(origin.url("/a")), try await service.add(origin.url("/b"))]
            let hosts = service.engine.hosts
            let opened = try await service.advanceClock(by: .milliseconds(100)) {
                let host = hosts.snapshot(of: Self.authority(origin))
                return host.state == .blocked ? host : nil
            }

            #expect(opened.reason == .failures)
            #expect((5...failures).contains(origin.requests.count))
            for id in ids { try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed) }
            #expect(try await Self.all(service, .completed).count == 2)
            #expect(origin.requests.count == failures + 2)
            #expect(hosts.snapshots.isEmpty)
        }
    }

    @Test func aRetryAfterOfAHostDelaysDownloadsRedirectedToIt() async throws {
        let mirror = Origin(Content(size: 1000), script: [.unavailable(retryAfter: "120"), .good])
        let origin = Origin(Content(size: 1000), script: [.redirect(to: mirror.url("/x"))])
        defer { for origin in [mirror, origin] { origin.stop() } }
        try await withService { service in
            let start = service.time.now
            let first = try await service.add(origin.url("/a"))
            try await service.wait(first, .waiting)
            let second = try await service.add(origin.url("/b"))
            let waiting = try await service.wait(second, .waiting)

            #expect(waiting.waitingFor == .host)
            #expect(waiting.error == nil)
            #expect(waiting.times.nextAttemptAt == start + .seconds(120))
            #expect(mirror.requests.count == 1)
            for id in [first, second] {
                try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
            }
            #expect(try await Self.all(service, .completed).count == 2)
            #expect(mirror.requests.count == 3)
        }
    }

    @Test func aPauseForOneURLEndsOnceTheHostServesAnother() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 1000))
        origin.serve("/slow", Content(size: 1000), script: [.pace(.stallBeforeHead(until: gate))])
        origin.serve("/busy", Content(size: 1000), script: [.unavailable(retryAfter: "120")])
        defer { origin.stop() }
        try await withService { service in
            let slow = try await service.add(origin.url("/slow"))
            await origin.requests(atLeast: 1)
            let busy = try await service.add(origin.url("/busy"))
            try await service.wait(busy, .waiting)
            let next = try await service.add(origin.url("/next"))

            let held = try await service.request("GET", "/downloads/\(next)").json
            #expect(held["state"]?.text == "queued" && held["waiting_for"]?.text == "host")
            #expect(held["waiting_reason"]?.text?.contains("asked for a pause after a 503") == true)

            // The clock stands still.
            gate.fire()
            for id in [slow, next] { try await service.wait(id, .completed) }
        }
    }
}
