public import Core

/// Who has the connections to one host, and how many each may have where not all can have as many as they would.
///
/// They are shared max-min fairly (Bertsekas and Gallager, Data Networks, section 6.5.2): no download has more than one
/// that wants another connection. So one large file does not keep others from their first connection.
public struct HostShares: Hashable, Sendable {
    private struct Allocation: Hashable {
        var count = 0
        /// What the download would have, and until when that counts.
        var requested = 0
        var wantedUntil: Timestamp?
    }

    /// How long a download's demand counts unless it is repeated.
    static let memory = Duration.seconds(1)
    /// How long a connection is kept for a download that was claimed.
    static let timeToStart = Duration.seconds(5)
    /// The same for those that were turned away, which ask again after 15 seconds at the latest.
    static let timeToReturn = Duration.seconds(20)

    /// The connections that are open.
    public private(set) var open = 0
    private var allocations: [DownloadID: Allocation] = [:]
    /// Until when a claimed download without a connection counts as starting.
    private var starting: [DownloadID: Timestamp] = [:]
    private var turnedAway: [DownloadID: Timestamp] = [:]
    /// Whether queued downloads wait for a connection to the host.
    public var isAwaited = false

    public init() {}

    /// How many downloads have a connection.
    public var downloads: Int { allocations.count }

    public func connections(of download: DownloadID) -> Int { allocations[download]?.count ?? 0 }

    /// How many that were claimed are about to ask for their first connection.
    public func starting(at now: Timestamp) -> Int {
        starting.values.count { $0.isAhead(of: now, within: Self.timeToStart) }
    }

    // MARK: - What happens

    public mutating func recordOpened(by download: DownloadID) {
        open += 1
        allocations[download, default: Allocation()].count += 1
        if !starting.isEmpty { starting[download] = nil }
        if !turnedAway.isEmpty { turnedAway[download] = nil }
    }

    /// Records that one of a download's connections has ended. Without a connection it does nothing.
    public mutating func recordClosed(by download: DownloadID) {
        guard let count = allocations[download]?.count else { return }
        open -= 1
        if count > 1 { allocations[download]?.count = count - 1 } else { allocations[download] = nil }
    }

    /// Records that downloads were claimed and will soon need their first connections.
    public mutating func recordStarting(_ downloads: [DownloadID], at now: Timestamp) {
        starting = starting.filter { $0.value.isAhead(of: now, within: Self.timeToStart) }
        for download in downloads where allocations[download] == nil { starting[download] = now + Self.timeToStart }
    }

    /// Records that a download did not get its first connection because others have them all.
    public mutating func recordTurnedAway(_ download: DownloadID, at now: Timestamp) {
        turnedAway = turnedAway.filter { $0.value.isAhead(of: now, within: Self.timeToReturn) }
        turnedAway[download] = now + Self.timeToReturn
    }

    /// Records that a download wants `count` more connections.
    public mutating func recordDemand(of download: DownloadID, for count: Int, at now: Timestamp) {
        guard var allocation = allocations[download] else { return }
        allocation.requested = allocation.count + count
        allocation.wantedUntil = now + Self.memory
        allocations[download] = allocation
    }

    // MARK: - What is whose

    /// The connections that a download may have, at least 1.
    ///
    /// - Parameter cap: The host's limit of connections.
    public func share(of download: DownloadID, cap: Int, at now: Timestamp) -> Int {
        let (own, reserved) = (connections(of: download), reserved(at: now))
        // Usually there are enough connections for all.
        let room = cap - (open - own) - reserved
        if room > own, !isWanted(besides: download, at: now) { return room }
        var (left, parties) = (cap - reserved, allocations.count + (own == 0 ? 1 : 0))
        guard left > parties else { return 1 }
        // Who would have less than an equal part gets that, and the others share what it leaves.
        var runningCounts: [Int: Int] = [:]
        for (other, allocation) in allocations where other != download {
            runningCounts[demand(of: allocation, at: now), default: 0] += 1
        }
        var level = 0
        for (demand, count) in runningCounts.sorted(by: { $0.key < $1.key }) {
            guard demand <= left / parties else { break }
            (left, parties, level) = (left - demand * count, parties - count, demand)
        }
        // What does not go evenly is the elders'.
        let elders = allocations.count { other, allocation in
            other != download && demand(of: allocation, at: now) > level && other.text < download.text
        }
        return max(left / parties + (elders < left % parties ? 1 : 0), 1)
    }

    /// Whether another download than this one waits for a connection, or would have more.
    public func isContended(besides download: DownloadID, at now: Timestamp) -> Bool {
        reserved(at: now) > 0 || isWanted(besides: download, at: now)
    }

    /// The connections that are for downloads which have none. Those that were turned away come one by one.
    private func reserved(at now: Timestamp) -> Int {
        let isKept = isAwaited || turnedAway.values.contains { $0.isAhead(of: now, within: Self.timeToReturn) }
        return starting(at: now) + (isKept ? 1 : 0)
    }

    private func isWanted(besides download: DownloadID, at now: Timestamp) -> Bool {
        allocations.contains { other, allocation in
            demand(of: allocation, at: now) > allocation.count && other != download
        }
    }

    private func demand(of allocation: Allocation, at now: Timestamp) -> Int {
        guard let until = allocation.wantedUntil, until.isAhead(of: now, within: Self.memory) else {
            return allocation.count
        }
        return max(allocation.requested, allocation.count)
    }
}

/// How many connections of one download a host accepts, as learned from a 403 to a further one.
///
/// A 429 or 503 concerns all requests to the host, so ``HostGovernor`` handles it. A 403 to a further connection
/// concerns the number of this download's connections, or a URL that has expired meanwhile. So only the first request
/// of a connection counts: a refusal after one that worked, or without another connection, means the URL. The two
/// cannot always be told apart, so it is remembered for a short time only.
public struct HostConnectionLimit: Hashable, Sendable {
    private var connections: Int?
    private var until: Timestamp?

    static let memory = Duration.seconds(600)

    public init() {}

    /// Records that a connection was refused while others of its download worked.
    ///
    /// - Parameter working: The others.
    public mutating func recordRefusal(beside working: Int, at now: Timestamp) {
        guard working > 0 else { return }
        connections = min(most(at: now) ?? working, working)
        until = now + Self.memory
    }

    /// Records a refused request of a connection that had worked, or of the only one: the number was not the cause.
    public mutating func recordURLRefusal() { self = HostConnectionLimit() }

    /// The maximum of connections for a download; nil if none is known.
    public func most(at now: Timestamp) -> Int? {
        guard let until, until.isAhead(of: now, within: Self.memory) else { return nil }
        return connections
    }
}
