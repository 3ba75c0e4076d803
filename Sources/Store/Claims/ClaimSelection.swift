import Synchronization

/// Selects the downloads to claim: the highest priority first, then the session with the fewest running downloads, then
/// the oldest download whose host has a free slot.
///
/// The number of rows that it reads is bounded, however long the queue is. If the hosts of the oldest downloads in a
/// lane have no free slot, it iterates over the lane's hosts instead. A session at its limit costs one row, and there
/// are no more such sessions than running downloads.
struct ClaimSelection {
    let queue: Queue
    let cursors: ClaimCursors
    var runningCounts: RunningCounts

    /// The maximum number of lanes that one claim examines.
    private static let mostLanes = 64
    /// The maximum number of downloads skipped in a lane before the iteration over its hosts starts.
    private static let mostPassed = 16
    /// The maximum number of hosts in a lane that one claim examines.
    private static let mostHosts = 128
    /// The maximum number of entries per read.
    private static let mostRead = 64

    /// - Parameter first: The head of the whole queue.
    mutating func choose(_ free: Int, from first: QueueEntry) throws -> [QueueEntry] {
        var chosen: [QueueEntry] = []
        var first: QueueEntry? = first
        while let head = first {
            var lanes = try lanes(from: head)
            while let index = next(of: lanes), let entry = lanes[index].entries.popFirst() {
                lanes[index].position = entry
                if runningCounts.room(of: entry.authority) > 0 {
                    runningCounts.choose(authority: entry.authority, lane: entry.lane)
                    chosen.append(entry)
                    if try !runningCounts.hasRoom(in: entry.lane) || isSpent(entry) { lanes[index].close() }
                } else {
                    lanes[index].passed += 1
                    runningCounts.recordPassed(entry.authority)
                }
                if chosen.count == free { return chosen }
                try refill(&lanes[index], wanted: free - chosen.count)
            }
            first = try queue.first(below: head.priority)
        }
        return chosen
    }

    /// Whether no other download of the entry's lane can get a slot: all have the same host, and it has no free slot. A
    /// queue of one host is common, and each completed download triggers a claim.
    private func isSpent(_ entry: QueueEntry) throws -> Bool {
        try runningCounts.lacksSlots(for: entry.authority) && queue.isOfOneHost(laneOf: entry)
    }

    /// The lane to choose from next.
    private func next(of lanes: [QueueLane]) -> Int? {
        guard lanes.count > 1 else { return lanes.indices.first { !lanes[$0].entries.isEmpty } }
        var best: (index: Int, running: Int, head: QueueEntry)?
        for index in lanes.indices {
            guard let head = lanes[index].entries.first else { continue }
            let running = runningCounts.running(of: lanes[index].name)
            if let best, (best.running, 0) < (running, head.isOlder(than: best.head) ? -1 : 1) { continue }
            best = (index, running, head)
        }
        return best?.index
    }

    /// The lanes of one priority below their limits. If there are too many for one claim, the selection continues after
    /// the last lane of the previous claim.
    private mutating func lanes(from first: QueueEntry) throws -> [QueueLane] {
        var lanes: [QueueLane] = []
        if try runningCounts.hasRoom(in: first.lane) { lanes.append(QueueLane(head: first)) }
        let begin = max(cursors[first.priority] ?? "", first.lane)
        var last = try gather(&lanes, after: begin, priority: first.priority)
        if lanes.count < Self.mostLanes && begin > first.lane {
            last = try gather(&lanes, after: first.lane, upTo: begin, priority: first.priority)
        }
        cursors[first.priority] = lanes.count < Self.mostLanes ? nil : last
        return lanes
    }

    /// Adds the lanes below their limits that follow a lane.
    ///
    /// - Returns: The last lane that was examined.
    private mutating func gather(
        _ lanes: inout [QueueLane],
        after lane: String,
        upTo end: String? = nil,
        priority: Int
    ) throws -> String {
        var last = lane
        while lanes.count < Self.mostLanes, let head = try queue.head(after: last, priority: priority) {
            if let end, head.lane > end { break }
            if try runningCounts.hasRoom(in: head.lane) { lanes.append(QueueLane(head: head)) }
            last = head.lane
        }
        return last
    }

    private mutating func refill(_ lane: inout QueueLane, wanted: Int) throws {
        guard lane.entries.isEmpty && !lane.isWhole else { return }
        if lane.passed < Self.mostPassed {
            let limit = min(max(wanted, Self.mostPassed), Self.mostRead)
            lane.entries = try queue.entries(after: lane.position, limit: limit)[...]
            lane.isWhole = lane.entries.count < limit
        } else {
            lane.entries = try entriesByHost(lane, wanted: wanted)[...]
            lane.isWhole = true
        }
    }

    private mutating func entriesByHost(_ lane: QueueLane, wanted: Int) throws -> [QueueEntry] {
        var entries: [QueueEntry] = []
        var last = ""
        for _ in 0..<Self.mostHosts {
            guard let oldest = try queue.host(after: last, in: lane.position) else { break }
            last = oldest.authority
            let limit = min(runningCounts.room(of: last), wanted)
            guard limit > 0 else {
                runningCounts.recordPassed(last)
                continue
            }
            entries += try queue.entries(of: last, after: lane.position, limit: limit)
        }
        return entries.sorted { $0.isOlder(than: $1) }
    }
}

/// The start position of the next claim, for each priority with more sessions than one claim examines.
final class ClaimCursors: Sendable {
    private let last = Mutex<[Int: String]>([:])

    /// The last lane of a priority that was examined; nil if all were.
    subscript(priority: Int) -> String? {
        get { last.withLock { $0[priority] } }
        set { last.withLock { $0[priority] = newValue } }
    }
}
