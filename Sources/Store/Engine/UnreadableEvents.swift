import Synchronization

/// The events that were found unreadable since the start. Whoever reads the log passes them by, since one of them would
/// keep all that followed from everyone.
final class UnreadableEvents: Sendable {
    private let sequences = Mutex<Set<Int64>>([])
    private let report: @Sendable (UnreadableEvent) -> Void

    /// - Parameter report: Called once for each event.
    init(report: @escaping @Sendable (UnreadableEvent) -> Void) {
        self.report = report
    }

    func note(_ events: [UnreadableEvent]) {
        guard !events.isEmpty else { return }
        let new = sequences.withLock { sequences in events.filter { sequences.insert($0.sequence).inserted } }
        for event in new { report(event) }
    }
}
