import Core
import Synchronization
import TransferRules

/// Wakes the flushes of all running transfers, each once in each interval.
///
/// The transfers take turns in a few groups (``FlushRules/groups``). Those of a group are flushed one after the other
/// and recorded in a few commits, which costs much less than a commit for each.
final class FlushTimer: Sendable {
    private struct State {
        /// The transfers of each group, by their numbers.
        var groups = [[Int: @Sendable () -> Void]](repeating: [:], count: FlushRules.groups)
        var count = 0
        var lastNumber = 0
        /// The last turn that was taken.
        var turn = 0
        /// Runs while there are transfers.
        var task: Task<Void, Never>?
    }

    /// Ends the wake-ups of a transfer with ``FlushTimer/remove(_:)``.
    struct Registration: Hashable {
        fileprivate let group: Int
        fileprivate let number: Int
    }

    private let state = Mutex(State())
    private let interval: Duration
    private let time: TimeSource

    init(interval: Duration, time: TimeSource) {
        self.interval = interval
        self.time = time
    }

    /// Wakes a transfer once in each interval, for the first time before one has passed.
    func add(_ wake: @escaping @Sendable () -> Void) -> Registration {
        let now = time.elapsed
        return state.withLock { state in
            let turn = FlushRules.turn(at: now, interval: interval)
            state.lastNumber += 1
            state.count += 1
            let registration = Registration(group: turn % FlushRules.groups, number: state.lastNumber)
            state.groups[registration.group][registration.number] = wake
            if state.task == nil {
                state.turn = turn
                state.task = Task { [weak self, time, interval] in
                    while (try? await time.sleep(for: FlushRules.delay(at: time.elapsed, interval: interval))) != nil {
                        guard let self else { return }
                        self.wakeDue()
                    }
                }
            }
            return registration
        }
    }

    func remove(_ registration: Registration) {
        state.withLock { state in
            guard state.groups[registration.group].removeValue(forKey: registration.number) != nil else { return }
            state.count -= 1
            guard state.count == 0 else { return }
            state.task?.cancel()
            state.task = nil
        }
    }

    /// Wakes the groups whose turns have come. A late timer wakes no group twice.
    private func wakeDue() {
        let now = FlushRules.turn(at: time.elapsed, interval: interval)
        let due = state.withLock { state in
            let turns = max(state.turn + 1, now - FlushRules.groups + 1)..<(max(now, state.turn) + 1)
            state.turn = max(now, state.turn)
            return turns.flatMap { Array(state.groups[$0 % FlushRules.groups].values) }
        }
        for wake in due { wake() }
    }
}
