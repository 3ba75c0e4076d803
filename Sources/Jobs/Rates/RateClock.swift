public import Logging
public import Model
public import ServiceLifecycle
public import Transfers

/// Changes the limit on all downloads together as a schedule of the week says.
///
/// It looks once a minute, at its beginning, so that it follows the clocks on the wall whatever becomes of them:
/// daylight saving time, a clock that is set, a machine that slept.
public struct RateClock: Service {
    let schedule: RateSchedule
    let ordinary: Int64?
    let engine: Engine
    let time: TimeSource
    let utcOffsetMinutes: @Sendable (Timestamp) -> Int
    let logger: Logger

    /// - Parameters:
    ///   - ordinary: The limit outside all windows, in bytes per second; nil for none.
    ///   - utcOffsetMinutes: How far the clocks on the wall stand ahead of UTC at an instant.
    public init(
        schedule: RateSchedule,
        ordinary: Int64?,
        engine: Engine,
        time: TimeSource,
        utcOffsetMinutes: @escaping @Sendable (Timestamp) -> Int,
        logger: Logger
    ) {
        self.schedule = schedule
        self.ordinary = ordinary
        self.engine = engine
        self.time = time
        self.utcOffsetMinutes = utcOffsetMinutes
        self.logger = logger
    }

    /// Follows the schedule until the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                apply()
                try? await time.sleep(for: .milliseconds(60_000 - time.now.milliseconds % 60_000))
            }
        }
    }

    /// Sets the limit of now.
    public func apply() {
        let limit = limit(at: time.now)
        guard limit != engine.rateLimit else { return }
        engine.setRateLimit(limit)
        let text = limit.map { "\($0)" } ?? "none"
        logger.info("the limit on the rate changes", metadata: ["rate.bytes_per_second": "\(text)"])
    }

    func limit(at now: Timestamp) -> Int64? {
        let minute = MinuteOfWeek(now, utcOffsetMinutes: utcOffsetMinutes(now))
        switch schedule.limit(at: minute) {
        case nil: return ordinary
        case .unlimited: return nil
        case .bytesPerSecond(let rate): return rate
        // As near as connections stay alive at.
        case .paused: return 1 << 10
        }
    }
}
