import Core
import Linux
import Synchronization
import TransferRules

/// Wakes the flushes of all running transfers, each once in each interval.
///
/// The transfers take turns in a few groups (``FlushRules/groups``). Those of a group are flushed one after the other
/// and recorded in a few commits, which costs much less than a commit for each.
///
/// While their flushes begin, one thread starts the write-back of all files of the group. Most flushes then find the
/// bytes on the device, wait less often, and take less processor time (docs/decisions/0051).
final class FlushTimer: Sendable {
    private struct Member {
        let startWriteback: @Sendable () -> Void
        let wake: @Sendable () -> Void
    }

    private struct State {
        /// The transfers of each group, by their numbers.
        var groups = [[Int: Member]](repeating: [:], count: FlushRules.groups)
        var count = 0
        /// Whether a thread starts the write-back of a group. A disk that does not answer thus holds one thread.
        var isStartingWriteback = false
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
    private let pool: BlockingPool

    /// The fewest files whose write-back is started together. With fewer, waking a thread costs more than it saves.
    private static let leastFiles = 4

    init(interval: Duration, time: TimeSource, pool: BlockingPool) {
        self.interval = interval
        self.time = time
        self.pool = pool
    }

    /// Wakes a transfer once in each interval, for the first time before one has passed.
    ///
    /// - Parameter startWriteback: Starts to write the file's bytes to the device. Called on the pool, if many
    ///   transfers are woken at once.
    func add(
        startWriteback: @escaping @Sendable () -> Void,
        wake: @escaping @Sendable () -> Void
    ) -> Registration {
        let now = time.elapsed
        return state.withLock { state in
            let turn = FlushRules.turn(at: now, interval: interval)
            state.lastNumber += 1
            state.count += 1
            let registration = Registration(group: turn % FlushRules.groups, number: state.lastNumber)
            state.groups[registration.group][registration.number] = Member(startWriteback: startWriteback, wake: wake)
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
        startWriteback(of: due)
        for member in due { member.wake() }
    }

    /// Does not wait: a flush that comes first starts the write-back itself.
    private func startWriteback(of members: [Member]) {
        guard members.count >= Self.leastFiles else { return }
        let begins = state.withLock { state in
            defer { state.isStartingWriteback = true }
            return !state.isStartingWriteback
        }
        guard begins else { return }
        pool.submit {
            for member in members { member.startWriteback() }
            self.state.withLock { $0.isStartingWriteback = false }
        }
    }
}
