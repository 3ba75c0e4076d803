/// Which of many events of one kind have a line in the log: the first at once, then one in each interval, with the
/// number of events since the last line.
public struct RepeatedLines<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        /// The elapsed time of the monotonic clock from which on the next line may be written.
        var next: Duration
        /// The events since the last line.
        var count = 0
        var total = 0
    }

    private let interval: Duration
    private let capacity: Int
    private var entries: [Key: Entry] = [:]

    /// - Parameter capacity: The maximum number of remembered kinds. Above it the quiet ones are forgotten, then all.
    public init(every interval: Duration, capacity: Int = 4096) {
        self.interval = interval
        self.capacity = capacity
    }

    /// Records an event.
    ///
    /// - Parameter elapsed: The elapsed time of the monotonic clock.
    /// - Returns: The number of events that the line is for; nil if none is to be written now.
    public mutating func record(_ key: Key, elapsed: Duration) -> Int? {
        if entries.count >= capacity, entries[key] == nil { makeRoom(at: elapsed) }
        var entry = entries[key] ?? Entry(next: elapsed)
        entry.count += 1
        entry.total += 1
        let isDue = elapsed >= entry.next
        let count = entry.count
        if isDue { (entry.next, entry.count) = (elapsed + interval, 0) }
        entries[key] = entry
        return isDue ? count : nil
    }

    /// Forgets a kind, because its cause is over.
    ///
    /// - Returns: The number of its events since the first.
    public mutating func end(_ key: Key) -> Int {
        entries.removeValue(forKey: key)?.total ?? 0
    }

    private mutating func makeRoom(at elapsed: Duration) {
        entries = entries.filter { $0.value.next > elapsed }
        if entries.count >= capacity { entries = [:] }
    }
}
