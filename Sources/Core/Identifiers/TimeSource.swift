/// The source of time and delays: the system's clocks, or a test's clock.
///
/// Rules get the time as a parameter. Only active components (scheduler, dispatcher, worker) have a time source.
public struct TimeSource: Sendable {
    private let readNow: @Sendable () -> Timestamp
    private let readElapsed: @Sendable () -> Duration
    private let wakeUp: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - now: Reads the wall clock.
    ///   - elapsed: The time since a fixed instant, by a clock that is independent of the wall clock.
    ///   - sleepUntil: Waits until `elapsed` is what is given. Throws `CancellationError`.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        elapsed: @escaping @Sendable () -> Duration,
        sleepUntil: @escaping @Sendable (Duration) async throws -> Void
    ) {
        readNow = now
        readElapsed = elapsed
        wakeUp = sleepUntil
    }

    public var now: Timestamp { readNow() }

    /// The monotonic time since a fixed instant. Changes of the wall clock do not affect it.
    public var elapsed: Duration { readElapsed() }

    public func sleep(for duration: Duration) async throws {
        try await sleep(until: elapsed + duration)
    }

    /// Sleeps until ``elapsed`` is `instant`. A caller that starts a task for the wait computes the instant before it
    /// starts the task. The time until the task runs is then part of the wait.
    public func sleep(until instant: Duration) async throws {
        try await wakeUp(instant)
    }
}
