public import Core
public import Logging
public import ServiceLifecycle
import Synchronization
public import Transfer

/// Decides which rate limits apply: the current window of the weekly schedule, else the limits that clients set, else
/// those of the settings (docs/decisions/0021).
public final class RateControl: Sendable {
    private struct State {
        var stored: StoredLimits
        /// The number of the latest update of the engine's limits.
        var number = 0
    }

    private let settings: ServiceLimits
    private let engine: Engine
    private let running: RunningDownloads
    private let time: TimeSource
    private let utcOffsetMinutes: @Sendable (Timestamp) -> Int
    private let logger: Logger
    private let state: Mutex<State>

    /// Applies the limits that are in effect now.
    ///
    /// - Parameters:
    ///   - settings: The limits of the settings.
    ///   - stored: The stored limits of clients.
    ///   - utcOffsetMinutes: The offset of local time from UTC at an instant, in minutes.
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

    /// The limits, and which of them are in effect now.
    public var view: LimitsView { view(of: state.withLock { $0.stored }, at: time.now) }

    /// Applies the limits of a commit, unless those of a later commit are already applied.
    func adopt(_ stored: StoredLimits) {
        state.withLock { state in
            if stored.revision > state.stored.revision { state.stored = stored }
        }
        apply()
    }

    /// Applies the limits that are in effect now.
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
        // Set even if unchanged: a concurrent call may be about to set the previous value.
        engine.setSharedRates(rates, number: number)
        if running.setPause(view.pause, number: number, now: now) {
            logger.info(view.isPausedNow ? "all downloads paused" : "all downloads resumed")
        }
        guard rates.server != old.server else { return }
        // Without a limit there is no number.
        let rate = rates.server.map { ["rate.bytes_per_second": Logger.MetadataValue.stringConvertible($0)] }
        logger.info(rate == nil ? "rate limit removed" : "rate limit changed", metadata: rate)
    }

    private func view(of stored: StoredLimits, at now: Timestamp) -> LimitsView {
        LimitsView(settings: settings, stored: stored, at: now, utcOffsetMinutes: utcOffsetMinutes(now))
    }
}

/// Applies the weekly schedule to the rate limit of all downloads.
///
/// It checks at the start of each minute, so that it follows the wall clock through daylight saving time, a clock that
/// is set, and sleep of the machine. It also runs without a schedule, because a client may set one.
public struct RateScheduler: Service {
    let control: RateControl
    let time: TimeSource

    public init(_ control: RateControl, time: TimeSource) {
        self.control = control
        self.time = time
    }

    /// Runs until the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                control.apply()
                try? await time.sleep(for: .milliseconds(60_000 - time.now.milliseconds % 60_000))
            }
        }
    }
}
