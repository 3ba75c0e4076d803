import Synchronization

/// Where the next claim begins to look, in each priority that has more sessions than one claim looks at.
final class ClaimTurns: Sendable {
    private let last = Mutex<[Int: String]>([:])

    /// The last lane of a priority that was looked at; nil where all were.
    subscript(priority: Int) -> String? {
        get { last.withLock { $0[priority] } }
        set { last.withLock { $0[priority] = newValue } }
    }
}
