import Synchronization

/// Counts across threads, and keeps the highest value it had.
public final class Counter: Sendable {
    private struct State {
        var value = 0
        var highest = 0
    }

    private let state = Mutex(State())

    public var value: Int { state.withLock { $0.value } }
    public var highest: Int { state.withLock { $0.highest } }

    public init() {}

    @discardableResult
    public func increment() -> Int {
        state.withLock { state in
            state.value += 1
            state.highest = max(state.highest, state.value)
            return state.value
        }
    }

    /// Counts on to `value` when it is behind.
    public func raise(to value: Int) {
        state.withLock { state in
            state.value = max(state.value, value)
            state.highest = max(state.highest, state.value)
        }
    }

    public func decrement() {
        state.withLock { $0.value -= 1 }
    }
}
