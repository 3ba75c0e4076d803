public import Model
public import ServiceLifecycle

/// Changes the limit on all downloads together as the schedule of the week says.
///
/// It looks once a minute, at its beginning, so that it follows the clocks on the wall whatever becomes of them:
/// daylight saving time, a clock that is set, a machine that slept. Without a schedule too: one may come.
public struct RateClock: Service {
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
