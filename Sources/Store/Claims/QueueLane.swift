/// One session's queued downloads, as far as a claim has looked at them.
struct QueueLane {
    let name: String
    /// What is to be looked at next, the oldest first.
    var entries: ArraySlice<QueueEntry>
    /// The last one that was looked at.
    var position: QueueEntry
    /// How many were passed by, as there is no room at their hosts.
    var passed = 0
    /// Whether nothing follows ``entries``.
    var isWhole = false

    /// Leaves the rest of it to a later claim.
    mutating func close() {
        entries = []
        isWhole = true
    }

    init(head: QueueEntry) {
        name = head.lane
        entries = [head]
        position = head
    }
}
