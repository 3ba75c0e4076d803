import Core
import ServiceSupport
import TestSupport
import Testing
import Transfer

@testable import Service

/// The limit on all downloads, as a schedule of the week has it.
@Suite(.timeLimit(.minutes(5)))
struct RateSchedulerTests {
    /// From midnight to one on Thursdays, local time: the clock of a test begins on Thursday, 2026-01-01, 00:00 UTC.
    private static func schedule() throws -> RateSchedule {
        let (from, to) = (try #require(TimeOfDay("00:00")), try #require(TimeOfDay("01:00")))
        return RateSchedule(windows: [
            RateWindow(days: [.thursday], from: from, to: to, limit: .bytesPerSecond(4096))
        ])
    }

    private static func control(
        _ service: TestService,
        offset: @escaping @Sendable (Timestamp) -> Int
    ) throws -> RateControl {
        RateControl(
            settings: ServiceLimits(bytesPerSecond: 8192, schedule: try schedule()),
            kept: StoredLimits(),
            engine: service.engine,
            time: service.time.source,
            utcOffsetMinutes: offset,
            logger: service.logs.logger
        )
    }

    @Test func theLimitChangesAtTheMinuteAndIsLogged() async throws {
        try await withService { service in
            let start = service.time.now
            let clock = RateScheduler(try Self.control(service) { _ in 0 }, time: service.time.source)
            let run = Task { try await clock.run() }
            defer { run.cancel() }
            try await service.poll { service.engine.sharedRates.server == 4096 ? () : nil }

            try await service.turnClock(by: .seconds(30)) { service.engine.sharedRates.server == 8192 ? () : nil }
            let change = service.time.now - start
            #expect(change >= .seconds(3600))
            #expect(change <= .seconds(3720))
        }
    }

    /// An hour that the clocks skip or repeat moves the window with them.
    @Test func theWindowFollowsTheClocksOnTheWall() async throws {
        try await withService { service in
            let start = service.time.now
            let control = try Self.control(service) { $0 < start + .seconds(1800) ? 0 : -60 }

            control.apply()
            #expect(service.engine.sharedRates.server == 4096)
            // 00:30 is 23:30 of Wednesday again.
            service.time.advance(by: .seconds(1800))
            control.apply()
            #expect(service.engine.sharedRates.server == 8192)
            service.time.advance(by: .seconds(1800))
            control.apply()
            #expect(service.engine.sharedRates.server == 4096)
        }
    }

    @Test func whatWasCommittedEarlierChangesNothingWhenItComesLater() async throws {
        try await withService { service in
            let control = try Self.control(service) { _ in -60 }
            control.adopt(StoredLimits(replacements: .init(bytesPerSecond: .set(2048)), revision: 2))
            control.adopt(StoredLimits(replacements: .init(bytesPerSecond: .set(1024)), revision: 1))

            #expect(service.engine.sharedRates.server == 2048)
            #expect(control.view.kept.revision == 2)
        }
    }
}
