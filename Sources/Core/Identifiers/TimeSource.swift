/// The source of time and delays: the system's clocks, or a test's clock.
///
/// Rules get the time as a parameter. Only active components (scheduler, dispatcher, worker) have a time source.
public struct TimeSource: Sendable {
    private let readNow: @Sendable () -> Timestamp
    private let readElapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - now: Reads the wall clock.
    ///   - elapsed: The time since a fixed instant, by the clock that `sleep` uses.
    ///   - sleep: Waits by a clock that is independent of the wall clock. Throws `CancellationError`.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        readNow = now
        readElapsed = elapsed
        wait = sleep
    }

    public var now: Timestamp { readNow() }

    /// The monotonic time since a fixed instant. Changes of the wall clock do not affect it.
    public var elapsed: Duration { readElapsed() }

    public func sleep(for duration: Duration) async throws {
        try await wait(duration)
    }
}
