import Dispatch
import Synchronization

/// A count that tests wait for instead of sleeping.
///
/// As a one-shot: `fire()` once, `await wait()` anywhere. As a counter: `await wait(for: 3)`.
public final class Signal: Sendable {
    private struct Waiter {
        let count: Int
        let wake: @Sendable () -> Void
    }

    private struct State {
        var count = 0
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())
    /// Posted whenever it is fired.
    public let changes = Changes()

    public init() {}

    public var count: Int { state.withLock { $0.count } }

    public func fire() {
        let due = state.withLock { state in
            state.count += 1
            let count = state.count
            let due = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return due
        }
        for waiter in due { waiter.wake() }
        changes.post()
    }

    /// Waits until the signal was fired `count` times since it was made.
    public func wait(for count: Int = 1) async {
        await withCheckedContinuation { continuation in
            whenFired(count) { continuation.resume() }
        }
    }

    /// Blocks a thread of our own, never one of Swift's pool, until either signal is fired.
    func waitBlocking(or other: Signal) {
        let semaphore = DispatchSemaphore(value: 0)
        whenFired(1) { semaphore.signal() }
        other.whenFired(1) { semaphore.signal() }
        semaphore.wait()
    }

    private func whenFired(_ count: Int, _ wake: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            guard state.count < count else { return true }
            state.waiters.append(Waiter(count: count, wake: wake))
            return false
        }
        if isDue { wake() }
    }
}

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
