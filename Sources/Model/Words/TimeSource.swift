/// Where the service reads the time and waits: the system's clocks, or a test's hand-turned one.
///
/// Rules take an instant as a parameter; only what runs (scheduler, dispatcher, worker) holds a source.
public struct TimeSource: Sendable {
    private let readNow: @Sendable () -> Timestamp
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - now: The wall clock.
    ///   - sleep: Waits on a clock that a change of the wall clock does not move; throws `CancellationError`.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        readNow = now
        wait = sleep
    }

    public var now: Timestamp { readNow() }

    public func sleep(for duration: Duration) async throws {
        try await wait(duration)
    }
}
