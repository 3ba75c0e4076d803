import API
import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing
import Transfer

@Suite(.hangLimit)
struct SlotTests {
    /// Waits until `count` downloads are completed, and returns the most that ran at once on the way.
    private static func peak(_ service: TestService, authority: String? = nil, until count: Int) async throws -> Int {
        var peak = 0
        try await service.wait(for: [.events, .downloads]) {
            let all = try await service.store.downloads(DownloadFilter(), before: nil, limit: 200)
            let running = all.filter {
                $0.state == .running && $0.request.url.authority == authority ?? $0.request.url.authority
            }
            peak = max(peak, running.count)
            return all.count { $0.state == .completed } == count ? () : nil
        }
        return peak
    }

    @Test func noMoreRunAtOnceThanTheServiceAllows() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 2000), script: [.pace(.stallBeforeHead(until: gate))])
        defer { origin.stop() }
        try await withService(.with { $0.jobs.maxConcurrent = 4 }) { service in
            for index in 0..<30 { try await service.add(origin.url("/\(index)")) }
            await origin.requests(atLeast: 4)
            let queued = try await service.store.downloads(DownloadFilter(states: [.queued]), before: nil, limit: 100)

            #expect(queued.count == 26)
            #expect(origin.requests.count == 4)
            gate.fire()
            #expect(try await Self.peak(service, until: 30) <= 4)
            #expect(try service.files.count == 30)
        }
    }

    @Test func noMoreOfOneHostRunAtOnceThanItMayBear() async throws {
        let gate = Signal()
        let origins = (0..<2).map { _ in Origin(Content(size: 2000), script: [.pace(.stallBeforeHead(until: gate))]) }
        defer { for origin in origins { origin.stop() } }
        try await withService(.with { $0.jobs.maxPerHost = 2 }) { service in
            for index in 0..<10 {
                for origin in origins { try await service.add(origin.url("/\(index)")) }
            }
            for origin in origins { await origin.requests(atLeast: 2) }
            let running = try await service.store.downloads(DownloadFilter(states: [.running]), before: nil, limit: 100)

            #expect(running.count == 4)
            gate.fire()
            let peak = try await Self.peak(service, authority: "127.0.0.1:\(origins[0].port)", until: 20)
            #expect(peak <= 2)
        }
    }

    @Test func aHostLeavesSlotsForOthersUnlessItsLimitIsFixed() async throws {
        let gate = Signal()
        let origins = (0..<2).map { _ in Origin(Content(size: 2000), script: [.pace(.stallBeforeHead(until: gate))]) }
        defer { for origin in origins { origin.stop() } }
        let options = TestService.Options.with {
            $0.jobs.maxConcurrent = 8
            $0.jobs.maxPerHost = nil
        }
        try await withService(options) { service in
            for index in 0..<10 { try await service.add(origins[0].url("/\(index)")) }
            await origins[0].requests(atLeast: 7)
            try await service.add(origins[1].url("/last"))
            await origins[1].requests(atLeast: 1)

            #expect(origins[0].requests.count == 7)
            gate.fire()
            let completed = DownloadFilter(states: [.completed])
            try await service.wait(for: [.events, .downloads]) {
                try await service.store.downloads(completed, before: nil, limit: 20).count == 11 ? () : nil
            }
        }
    }

    @Test func aSlotThatAPauseFreesIsTakenByTheNext() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 2000), script: [.pace(.stallBeforeHead(until: gate)), .good])
        defer { origin.stop() }
        try await withService(.with { $0.jobs.maxConcurrent = 1 }) { service in
            let first = try await service.add(origin.url("/first"))
            await origin.requests(atLeast: 1)
            let second = try await service.add(origin.url("/second"))

            try await service.act("pause", on: first)

            try await service.wait(second, .completed)
            #expect(try await service.record(first).state == .paused)
        }
    }
}

/// The most bytes that a file may have: the client's word for its download, the operator's for all.
@Suite(.hangLimit)
struct SizeLimitTests {
    private static func options(_ maxDownloadBytes: Int64?) -> TestService.Options {
        .with { $0.engine.maxDownloadBytes = maxDownloadBytes }
    }

    @Test func theServicesLimitIsTheOneOfItsSettingsNow() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let time = ManualTime()
        let (failed, paused) = try await withService(Self.options(999), folder: folder, time: time) { service in
            let failed = try await service.add(origin.url("/a.bin"))
            #expect(try await service.wait(failed, .failed).error?.error.code == .tooLarge)
            #expect(try await service.show(failed)["limits"]?["max_bytes"] == .null)
            return (failed, try await service.add(origin.url("/b.bin"), #","start":false,"limits":{"max_bytes":5000}"#))
        }
        try await withService(Self.options(1000), folder: folder, time: time) { service in
            try await service.act("retry", on: failed)
            try await service.wait(failed, .completed)
        }
        try await withService(Self.options(10), folder: folder, time: time) { service in
            #expect(try await service.show(paused)["limits"]?["max_bytes"]?.integer == 5000)
            try await service.act("resume", on: paused)
            #expect(try await service.wait(paused, .failed, .completed).error?.error.code == .tooLarge)
        }
    }
}
