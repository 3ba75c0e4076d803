public import Core
public import Logging
public import ServiceLifecycle
import Synchronization
public import Transfer

/// Decides which rate limits apply: those of the settings, those that clients set in their place, and before both the
/// current window of the week (docs/decisions/0021).
public final class RateControl: Sendable {
    private struct State {
        var stored: StoredLimits
        /// Which of the settings of the engine is the latest.
        var number = 0
    }

    private let settings: ServiceLimits
    private let engine: Engine
    private let running: RunningDownloads
    private let time: TimeSource
    private let utcOffsetMinutes: @Sendable (Timestamp) -> Int
    private let logger: Logger
    private let state: Mutex<State>

    /// Sets the limits that hold now.
    ///
    /// - Parameters:
    ///   - settings: The limits that the settings name.
    ///   - stored: The stored limits of clients.
    ///   - utcOffsetMinutes: How many minutes local time is ahead of UTC at an instant.
    public init(
        settings: ServiceLimits,
        stored: StoredLimits,
        engine: Engine,
        running: RunningDownloads,
        time: TimeSource,
        utcOffsetMinutes: @escaping @Sendable (Timestamp) -> Int,
        logger: Logger
    ) {
        self.settings = settings
        self.engine = engine
        self.running = running
        self.time = time
        self.utcOffsetMinutes = utcOffsetMinutes
        self.logger = logger
        state = Mutex(State(stored: stored))
        apply()
    }

    /// The limits, and what holds of them now.
    public var view: LimitsView { view(of: state.withLock { $0.stored }, at: time.now) }

    /// Sets the limits that a commit left, unless those of a later one are set.
    func adopt(_ stored: StoredLimits) {
        state.withLock { state in
            if stored.revision > state.stored.revision { state.stored = stored }
        }
        apply()
    }

    /// Sets the limits of now.
    public func apply() {
        let now = time.now
        let (stored, number) = state.withLock { state in
            state.number += 1
            return (state.stored, state.number)
        }
        let view = view(of: stored, at: now)
        let rates = SharedRates(
            server: view.bytesPerSecondNow,
            perHost: view.limits.bytesPerSecondPerHost,
            hosts: stored.hosts
        )
        let old = engine.sharedRates
        // Though it be the same: another one may be about to set what held before.
        engine.setSharedRates(rates, number: number)
        if running.setPaused(view.isPausedNow, number: number, now: now) {
            logger.info(view.isPausedNow ? "all downloads paused" : "all downloads resumed")
        }
        guard rates.server != old.server else { return }
        let text = rates.server.map { "\($0)" } ?? "none"
        logger.info("rate limit changed", metadata: ["rate.bytes_per_second": "\(text)"])
    }

    private func view(of stored: StoredLimits, at now: Timestamp) -> LimitsView {
        LimitsView(settings: settings, stored: stored, at: now, utcOffsetMinutes: utcOffsetMinutes(now))
    }
}

/// Changes the limit on all downloads together as the schedule of the week says.
///
/// It checks at the beginning of each minute, so that it follows the wall clock through daylight saving time, a clock
/// that is set, and sleep of the machine. It does so without a schedule too, because a client may set one.
public struct RateScheduler: Service {
    let control: RateControl
    let time: TimeSource

    public init(_ control: RateControl, time: TimeSource) {
        self.control = control
        self.time = time
    }

    /// Follows the schedule until the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                control.apply()
                try? await time.sleep(for: .milliseconds(60_000 - time.now.milliseconds % 60_000))
            }
        }
    }
}
