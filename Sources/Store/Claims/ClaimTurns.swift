import Synchronization

/// Where the next claim begins to look, where there are more sessions than one claim looks at.
final class ClaimTurns: Sendable {
    private let last = Mutex("")

    /// The last lane that was looked at; empty where all were.
    var lastLane: String {
        get { last.withLock { $0 } }
        set { last.withLock { $0 = newValue } }
    }
}
