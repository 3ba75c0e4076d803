import Synchronization

/// Wakes tasks that wait for a state. A wake-up carries no data: the task reads the state again.
public final class Changes: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastKey = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// To be called after each change, once the change can be seen.
    public func post() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }

    fileprivate func add(_ listener: AsyncStream<Void>.Continuation) -> Int {
        state.withLock { state in
            state.lastKey += 1
            state.listeners[state.lastKey] = listener
            return state.lastKey
        }
    }

    fileprivate func remove(_ key: Int) {
        state.withLock { $0.listeners[key] = nil }
    }
}

/// A state that did not come within the limit of time.
public struct NotReached: Error, CustomStringConvertible {
    public let expected: String
    public let seen: String

    public init(expected: String, seen: String) {
        self.expected = expected
        self.seen = seen
    }

    public var description: String { "expected: \(expected); last seen: \(seen)" }
}

/// How long a test waits for a state. It is below the limit of a suite, so that the failure says what was seen.
public let longestWait = Duration.seconds(240)

/// Waits until a state is as expected. It looks once at the beginning and once after each change.
///
/// - Parameters:
///   - expected: The state, for the error.
///   - sources: All that can bring the state about: each posts after its change.
///   - look: Returns the state now.
/// - Returns: The state.
/// - Throws: ``NotReached`` with the state that was seen last; `CancellationError`; what `look` throws.
@discardableResult
public func waitUntil<Seen>(
    _ expected: String,
    after sources: Changes...,
    look: () async throws -> Seen,
    is isReached: (Seen) throws -> Bool
) async throws -> Seen {
    let (changes, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Before the first look: a change after it wakes.
    let keys = sources.map { ($0, $0.add(listener)) }
    let limit = Task {
        // The limit of a failing wait. A wait that succeeds never depends on it.
        try await Task.sleep(for: longestWait)
        listener.finish()
    }
    defer {
        limit.cancel()
        for (source, key) in keys { source.remove(key) }
    }
    var seen = try await look()
    if try isReached(seen) { return seen }
    for await _ in changes {
        seen = try await look()
        if try isReached(seen) { return seen }
    }
    try Task.checkCancellation()
    throw NotReached(expected: expected, seen: "\(seen)")
}

/// The same for a state of two values.
public func waitUntil(
    _ expected: String,
    after source: Changes,
    _ isReached: () async throws -> Bool
) async throws {
    try await waitUntil(expected, after: source, look: isReached) { $0 }
}
