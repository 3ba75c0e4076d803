import Core
import ServiceSupport
import Testing
import TestSupport

/// A limit on the bytes of a session, as downloads that run meet it.
@Suite(.timeLimit(.minutes(5)))
struct QuotaTests {
    /// It comes too late to refuse the size, so that the record is refused: the bytes on the disk are nobody's.
    @Test(arguments: [2000, 3_000_000] as [Int64])
    func whatWasNotRecordedLeavesNoPartBehind(_ size: Int64) async throws {
        let gate = Signal()
        let origin = Origin(Content(size: size), script: [.pace(.stall(after: 100, until: gate)), .good])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url(), #","session":"s""#)
            try await service.wait(id, receives: 100)
            _ = try await service.send("PUT", "/sessions/s", #"{"limits":{"max_bytes":10}}"#)
            gate.fire()
            let failed = try await service.wait(id, .failed, .completed)

            #expect(failed.error?.error.code == .quotaExceeded && failed.progress.durableBytes == 0)
            try await service.poll { try service.parts.isEmpty ? () : nil }
            #expect(!service.logs.lines.contains { $0.contains("could not be recorded") })

            _ = try await service.send("PATCH", "/sessions/s", #"{"limits":{"max_bytes":null}}"#)
            try await service.act("retry", on: id)
            try await service.wait(id, .completed)
        }
    }
}
