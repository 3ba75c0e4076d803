public import Core
import Synchronization
public import TransferRules

/// A clock that stands still until a test turns it.
public final class ManualTime: Sendable {
    private struct Sleeper {
        let number: Int
        /// On the clock that nobody sets.
        let due: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Timestamp
        var elapsed = Duration.zero
        var lastNumber = 0
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        /// Cancelled before they lay down.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>
    /// Posted when someone begins or ends to wait for the clock to be turned.
    public let sleeperChanges = Changes()

    /// - Parameter now: By default a day in 2026.
    public init(now: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        state = Mutex(State(now: now))
    }

    public var now: Timestamp { state.withLock { $0.now } }

    /// The time that has passed, however the wall clock was set meanwhile.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// How many wait for the clock to be turned.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// For what is to happen by itself: waits as long as it is told to, at an instant that stands still.
    public var runningSource: TimeSource {
        let began = ContinuousClock.now
        return TimeSource(
            now: { self.now },
            elapsed: { .now - began },
            // No test waits here for something to have happened: it is the product's own clock that runs.
            sleepUntil: { try await Task.sleep(until: began + $0, clock: .continuous) }
        )
    }

    public var source: TimeSource {
        TimeSource(
            now: { self.now },
            elapsed: { self.elapsed },
            sleepUntil: { try await self.sleep(until: $0) }
        )
    }

    /// Sets the wall clock, ahead or back, while no time passes: nobody is woken by it.
    public func setWall(by duration: Duration) {
        state.withLock { $0.now = $0.now + duration }
    }

    /// Turns the clock on, and wakes those whose time has come, the earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now + duration
            state.elapsed += duration
            let elapsed = state.elapsed
            let due = state.sleepers.filter { $0.due <= elapsed }.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
            state.sleepers.removeAll { $0.due <= elapsed }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
        if !due.isEmpty { sleeperChanges.post() }
    }

    /// Waits until at least `count` wait for the clock to be turned.
    public func sleepers(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func sleep(until due: Duration) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { lieDown(number, until: due, $0) }
        } onCancel: {
            wake(number)
        }
    }

    private func lieDown(_ number: Int, until due: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        let (result, watchers) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
            if state.cancelled.remove(number) != nil { return (.failure(CancellationError()), []) }
            // What is due already would otherwise wait for the next turn of the clock, which may never come.
            if due <= state.elapsed { return (.success(()), []) }
            state.sleepers.append(Sleeper(number: number, due: due, continuation: continuation))
            let count = state.sleepers.count
            let reached = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (nil, reached)
        }
        if let result { return continuation.resume(with: result) }
        for watcher in watchers { watcher.continuation.resume() }
        sleeperChanges.post()
    }

    private func wake(_ number: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        sleeperChanges.post()
    }
}

extension RampRules {
    /// Opens as many connections as are allowed, whatever they bring: a machine that is busy tells nothing of them.
    public static var unmeasured: RampRules {
        var rules = RampRules()
        rules.minimumShare = 64 << 10
        rules.worthwhileTime = .zero
        rules.shortestStep = .zero
        rules.leastSample = 0
        rules.leastGrowth = -1
        rules.firstGrowth = -1
        return rules
    }
}
