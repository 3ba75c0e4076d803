internal import Synchronization

/// Counts the bytes of request bodies that are held, over all connections, and bounds them.
final class BodyBudget: Sendable {
    private struct State {
        var used = 0
        var highest = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var used: Int { state.withLock { $0.used } }

    /// The most that was ever held at once.
    var highest: Int { state.withLock { $0.highest } }

    /// - Returns: `false` when there is no room for so many bytes; nothing was counted then.
    func take(_ count: Int) -> Bool {
        state.withLock { state in
            guard count <= limit - state.used else { return false }
            state.used += count
            state.highest = max(state.highest, state.used)
            return true
        }
    }

    func giveBack(_ count: Int) {
        guard count > 0 else { return }
        state.withLock { $0.used -= count }
    }
}
