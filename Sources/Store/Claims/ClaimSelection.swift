import Synchronization

/// Chooses what is claimed: the highest priority first, within it the session of which the fewest run, within that the
/// oldest whose host has room.
///
/// The number of rows that it reads is bounded, however long the queue is. If the oldest downloads of a lane are of
/// hosts without room, it walks from host to host instead. A session at its limit costs one row, and there are no more
/// such sessions than running downloads.
struct ClaimSelection {
    let queue: Queue
    let cursors: ClaimCursors
    var runningCounts: RunningCounts

    /// How many sessions one claim looks at.
    private static let mostLanes = 64
    /// How many of a lane are passed by before the walk goes from host to host.
    private static let mostPassed = 16
    /// How many hosts of a lane one claim looks at.
    private static let mostHosts = 128
    /// How many entries are read at a time.
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

    /// Whether the rest of an entry's lane can have no slot: all of it is of the entry's host, which has no more. A
    /// queue of one host is common, and each end of a download claims the next one of it.
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

    /// The lanes of one priority that have room: all, or as many as a claim looks at, from where the last one stopped.
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

    /// Adds the lanes with room that follow one.
    ///
    /// - Returns: The last lane that was looked at.
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

/// Where the next claim begins to look, in each priority that has more sessions than one claim looks at.
final class ClaimCursors: Sendable {
    private let last = Mutex<[Int: String]>([:])

    /// The last lane of a priority that was looked at; nil where all were.
    subscript(priority: Int) -> String? {
        get { last.withLock { $0[priority] } }
        set { last.withLock { $0[priority] = newValue } }
    }
}
