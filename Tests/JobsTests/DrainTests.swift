import Core
import Service
import ServiceSupport
import Testing
import TestSupport

/// What a service that is about to stop leaves alone.
@Suite(.timeLimit(.minutes(5)))
struct DrainTests {
    @Test func whatIsQueuedStaysSo() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 1000), script: [.pace(.stallBeforeHead(until: gate)), .good])
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let time = ManualTime()
        let id = try await withService(.with { $0.jobs.maxConcurrent = 1 }, folder: folder, time: time) { service in
            let first = try await service.add(origin.url("/a.bin"))
            await origin.requests(atLeast: 1)
            let second = try await service.add(origin.url("/b.bin"))
            service.live.beginDraining()
            gate.fire()
            // The place that it had is free.
            try await service.wait(first, .completed)
            try await service.poll { service.live.count == 0 ? () : nil }
            // A second of what would wake the scheduler.
            try await service.act("pause", on: second)
            try await service.act("resume", on: second)
            return second
        }

        #expect(origin.requests.count == 1)
        try await withService(folder: folder, time: time) { service in
            let attempts = try await service.wait(id, .completed).attempts
            #expect(attempts.count == 1)
        }
    }
}
