import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// `"paused": true` of `/limits`, and in windows of its schedule.
@Suite(.hangLimit)
struct PauseTests {
    private static let paused = #"{"paused":true}"#
    private static let resumed = #"{"paused":false}"#

    @Test func aPauseOfAllQueuesRunningDownloadsWithTheirBytes() async throws {
        let gate = Signal()
        let content = Content(size: 1 << 20)
        let origin = Origin(content, script: [.pace(.stall(after: 512 << 10, until: gate)), .good])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/f"))
            try await service.wait(id, receives: 512 << 10)

            let limits = try await service.request("PATCH", "/limits", Self.paused).json
            #expect(limits["paused"] == .bool(true) && limits["now"]?["paused"] == .bool(true))
            #expect(limits["replaced"]?.items == [.string("paused")])
            try await service.hasNoWorkers()
            let queued = try await service.wait(id, .queued)
            #expect(queued.progress.durableBytes > 0)
            let events = try await service.request("GET", "/events?types=download.waiting").json["items"]?.items ?? []
            #expect(events.map { $0["data"]?["id"]?.text } == [id])
            #expect(events.first?["data"]?["previous_state"]?.text == "running")
            #expect(events.first?["data"]?["state"]?.text == "queued")
            #expect(events.first?["data"]?["waiting_for"]?.text == "pause")
            #expect(events.first?["data"]?["waiting_reason"]?.text == "All downloads are paused by a client.")
            // Another one is taken, and waits too.
            let next = try await service.add(origin.url("/g"))

            let shown = try await service.request("GET", "/downloads/\(next)")
            #expect(try shown.json["waiting_for"]?.text == "pause")
            #expect(try shown.json["waiting_reason"]?.text == "All downloads are paused by a client.")

            let again = try await service.request("PATCH", "/limits", Self.resumed).json
            let later = try await service.request("GET", "/downloads/\(next)")
            #expect(later["etag"] != shown["etag"])
            #expect(again["now"]?["paused"] == .bool(false))
            gate.fire()
            for id in [id, next] { try await service.wait(id, .completed) }
            #expect(service.logs.lines.contains { $0.contains("all downloads paused") })
        }
    }

    @Test func aPauseOfAllHoldsAfterARestart() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let id = try await withService(folder: folder, time: time) { service in
            _ = try await service.request("PATCH", "/limits", Self.paused)
            return try await service.add(origin.url("/f"))
        }
        try await withService(folder: folder, time: time) { service in
            #expect(service.running.isPaused)
            #expect(origin.requests.isEmpty)
            _ = try await service.request("PUT", "/limits", "{}")
            try await service.wait(id, .completed)
        }
    }

    /// The clock of a test begins on Thursday, 2026-01-01, at midnight.
    @Test func aWindowOfTheScheduleStopsAllWhileItLasts() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let window = #"{"days":["thu"],"from":"00:00","to":"01:00","paused":true}"#
            let limits = try await service.request("PATCH", "/limits", #"{"rate_schedule":[\#(window)]}"#).json
            #expect(limits["paused"] == .bool(false) && limits["now"]?["paused"] == .bool(true))
            #expect(limits["rate_schedule"]?.items.first?["rate_bytes_per_second"] == .null)
            let id = try await service.add(origin.url("/f"))
            #expect(service.running.isPaused && origin.requests.isEmpty)

            try await service.advanceClock(by: .seconds(60), until: id, .completed)
            #expect(service.time.now - Timestamp(milliseconds: 1_767_225_600_000) >= .seconds(3600))
        }
    }
}
