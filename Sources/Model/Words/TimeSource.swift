/// Where the service reads the time and waits: the system's clocks, or a test's hand-turned one.
///
/// Rules take an instant as a parameter; only what runs (scheduler, dispatcher, worker) holds a source.
public struct TimeSource: Sendable {
    private let readNow: @Sendable () -> Timestamp
    private let readElapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - now: The wall clock.
    ///   - elapsed: The time since an instant that stays the same, on the clock that `sleep` waits on.
    ///   - sleep: Waits on a clock that a change of the wall clock does not move; throws `CancellationError`.
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

    /// Grows by what passes, whatever becomes of the wall clock.
    public var elapsed: Duration { readElapsed() }

    public func sleep(for duration: Duration) async throws {
        try await wait(duration)
    }
}
