import API
import Core
import ServiceSupport
import TestSupport
import Testing

/// `GET /stats`, held against `openapi.yaml` with each answer.
@Suite(.hangLimit)
struct StatsTests {
    @Test func anEmptyServiceCountsNothing() async throws {
        try await withService { service in
            let stats = try await service.request("GET", "/stats").json

            for state in DownloadState.allCases { #expect(stats["counts"]?[state.rawValue]?.integer == 0) }
            #expect(stats["received_bytes"]?.integer == 0)
            #expect(stats["bytes_per_second"]?.integer == 0)
            #expect(stats["received_bytes_since_start"]?.integer == 0)
            #expect(stats["connections"]?.integer == 0)
            #expect(stats["oldest_queued_at"] == .null)
            #expect(stats["disk"]?["free_bytes"]?.integer ?? 0 > 0)
            #expect(stats["disk"]?["reserved_bytes"]?.integer == 0)
            #expect(stats["webhooks"]?["pending_deliveries"]?.integer == 0)
        }
    }

    @Test func eachStateIsCounted() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            _ = try await service.add("http://a.example/1")
            _ = try await service.add("http://a.example/2")
            service.time.advance(by: .seconds(90))
            try await service.act("pause", on: try await service.add("http://a.example/3"))
            try await service.act("cancel", on: try await service.add("http://a.example/4"))
            let stats = try await service.request("GET", "/stats").json
            let counts = stats["counts"]

            #expect(stats["oldest_queued_at"]?.text != nil)
            #expect(stats["uptime_seconds"]?.integer ?? 0 >= 90)
            #expect(counts?["queued"]?.integer == 2)
            #expect(counts?["paused"]?.integer == 1)
            #expect(counts?["cancelled"]?.integer == 1)
            #expect(counts?["running"]?.integer == 0)
        }
    }

    @Test func runningDownloadsAreCountedWithTheirBytes() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 1000), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a"))
            await origin.requests(atLeast: 1)
            let running = try await service.request("GET", "/stats").json
            gate.fire()
            try await service.wait(id, .completed)
            let ended = try await service.request("GET", "/stats").json

            #expect(running["counts"]?["running"]?.integer == 1)
            #expect(running["received_bytes"]?.integer == 0)
            #expect(ended["counts"]?["completed"]?.integer == 1)
            #expect(ended["counts"]?["running"]?.integer == 0)
            #expect(ended["received_bytes_since_start"]?.integer == 1000)
        }
    }
}
