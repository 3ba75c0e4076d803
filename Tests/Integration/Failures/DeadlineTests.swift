import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing

@testable import Service

/// A run that is not done by its deadline fails, whatever it is at.
@Suite(.hangLimit)
struct DeadlineTests {
    private static let content = Content(size: 2 << 20)

    /// A download that has half its bytes, and whose origin sends no more.
    private func withHalf(_ members: String, _ body: (TestService, String) async throws -> Void) async throws {
        let origin = Origin(Self.content, script: [.pace(.stall(after: 1 << 20, until: Signal())), .good])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), members)
            try await service.wait(id, receives: 1 << 20)
            try await body(service, id)
        }
    }

    @Test func aRunningDownloadFailsAtItsDeadlineAndKeepsItsBytes() async throws {
        try await withHalf(#","deadline_at":"2026-01-01T00:30:00Z""#) { service, id in
            let start = service.time.now
            let failed = try await service.advanceClock(by: .seconds(60), until: id, .failed)

            #expect(failed.error?.error.code == .deadlineExceeded)
            #expect(service.time.now >= start + .seconds(1800))
            try await service.hasNoWorkers()
            #expect(try service.parts == ["\(id).g1.part"])
            #expect(try await service.record(id).progress.durableBytes == 1 << 20)
            #expect(try await service.act("retry", on: id).status == 200)
            try await service.wait(id, .completed)
        }
    }

    @Test func aDeadlineThatIsMovedCountsForTheRunningDownload() async throws {
        try await withHalf("") { service, id in
            let response = try await service.send(
                "PATCH",
                "/downloads/\(id)",
                #"{"deadline_at":"2026-01-01T00:10:00Z"}"#
            )
            #expect(response.status == 200)
            let failed = try await service.advanceClock(by: .seconds(60), until: id, .failed)

            #expect(failed.error?.error.code == .deadlineExceeded)
            #expect(service.time.now < failed.times.createdAt + .seconds(86_400))
        }
    }

    @Test func aDeadlineThatIsPutOffMeanwhileLeavesTimeForTheNextAttempt() async throws {
        let gate = Signal()
        let busy = Behaviour {
            $0.response = .page(status: 503)
            $0.extraFields = ["Retry-After: 3600"]
            $0.pace = .stallBeforeHead(until: gate)
        }
        let origin = Origin(Self.content, script: [busy, .good])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), #","deadline_at":"2026-01-01T00:30:00Z""#)
            await origin.requests(atLeast: 1)
            let put = try await service.send(
                "PATCH",
                "/downloads/\(id)",
                #"{"deadline_at":"2026-01-02T00:00:00Z"}"#
            )
            #expect(put.status == 200)
            gate.fire()

            #expect(try await service.wait(id, .waiting, .failed).state == .waiting)
            try await service.advanceClock(by: .seconds(60), until: id, .completed)
        }
    }

    @Test func aDeadlineThatIsBroughtForwardIsWhatTheClockIsSetFor() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/")
            let start = service.time.now
            let claim = try await OrphanedClaim.claim(in: service.store, now: start).claim
            let deferral = Deferral(reason: .retry, until: start + .seconds(3600), error: nil)
            _ = try await service.store.recordOutcome(claim, .deferred(deferral), madeProgress: false, now: start)
            _ = service.running.removeDue()
            let put = try await service.send(
                "PATCH",
                "/downloads/\(id)",
                #"{"deadline_at":"2026-01-01T00:00:30Z"}"#
            )

            #expect(put.status == 200)
            #expect(try put.json["next_attempt_at"]?.text == "2026-01-01T01:00:00.000Z")
            #expect(service.running.removeDue() == start + .seconds(30))
        }
    }

    @Test func aPausedDownloadHasNoDeadline() async throws {
        try await withHalf(#","deadline_at":"2026-01-01T00:30:00Z""#) { service, id in
            try await service.act("pause", on: id)
            try await service.hasNoWorkers()
            service.time.advance(by: .seconds(86_400))

            #expect(try await service.record(id).state == .paused)
            try await service.act("resume", on: id)
            #expect(try await service.wait(id, .failed, .completed).error?.error.code == .deadlineExceeded)
        }
    }
}
