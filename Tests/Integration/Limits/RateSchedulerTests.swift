import Core
import ServiceSupport
import TestSupport
import Testing
import Transfer

@testable import Service

/// The limit on all downloads, as a schedule of the week has it.
@Suite(.hangLimit)
struct RateSchedulerTests {
    /// From midnight to one on Thursdays, local time: the clock of a test begins on Thursday, 2026-01-01, 00:00 UTC.
    private static func schedule() throws -> RateSchedule {
        let (from, to) = (try #require(TimeOfDay("00:00")), try #require(TimeOfDay("01:00")))
        return RateSchedule(windows: [
            RateWindow(days: [.thursday], from: from, to: to, limit: .bytesPerSecond(4096))
        ])
    }

    /// - Parameter offset: By how much local time is ahead of UTC.
    private static func options(
        _ offset: @escaping @Sendable (Timestamp) -> Int = { _ in 0 }
    ) throws -> TestService.Options {
        let schedule = try schedule()
        return .with {
            $0.engine.rateLimit = 8192
            $0.rateSchedule = schedule
            $0.utcOffsetMinutes = offset
        }
    }

    @Test func theLimitChangesAtTheMinuteAndIsLogged() async throws {
        try await withService(try Self.options()) { service in
            let start = service.time.now
            // It is logged once it holds.
            let changes = service.logs.changes
            try await waitUntil("4096", after: changes) {
                service.engine.sharedRates.server
            } is: {
                $0 == 4096
            }

            try await service.advanceClock(by: .seconds(30)) { service.engine.sharedRates.server == 8192 ? () : nil }
            let change = service.time.now - start
            #expect(change >= .seconds(3600))
            #expect(change <= .seconds(3720))
            #expect(try await service.logs.line(with: "8192").contains("rate limit changed"))
        }
    }

    /// An hour that the clocks skip or repeat moves the window with them.
    @Test func theWindowFollowsTheClocksOnTheWall() async throws {
        let time = ManualTime()
        let start = time.now
        let options = try Self.options { $0 < start + .seconds(1800) ? 0 : -60 }
        try await withService(options, time: time) { service in
            let control = service.rates

            control.apply()
            #expect(service.engine.sharedRates.server == 4096)
            // 00:30 is 23:30 of Wednesday again.
            time.advance(by: .seconds(1800))
            control.apply()
            #expect(service.engine.sharedRates.server == 8192)
            time.advance(by: .seconds(1800))
            control.apply()
            #expect(service.engine.sharedRates.server == 4096)
        }
    }

    @Test func anOlderCommitThatArrivesLaterChangesNothing() async throws {
        try await withService(try Self.options { _ in -60 }) { service in
            let control = service.rates
            control.adopt(StoredLimits(replacements: .init(bytesPerSecond: .bytesPerSecond(2048)), revision: 2))
            control.adopt(StoredLimits(replacements: .init(bytesPerSecond: .bytesPerSecond(1024)), revision: 1))

            #expect(service.engine.sharedRates.server == 2048)
            #expect(control.view.stored.revision == 2)
        }
    }
}
