public import Core

/// Shares the connections to one host between downloads when there are too few for all.
///
/// The shares are max-min fair (Bertsekas and Gallager, Data Networks, section 6.5.2): a download with unmet demand has
/// at most one connection less than any other. So one large file does not prevent the first connections of others.
public struct HostShares: Hashable, Sendable {
    private struct Allocation: Hashable {
        var count = 0
        /// The number of connections that the download could use, and the time until which this demand counts.
        var requested = 0
        var wantedUntil: Timestamp?
    }

    /// How long a download's demand counts if it is not renewed: longer than the longest time between two reviews
    /// (``ReviewInterval``).
    static let memory = Duration.seconds(2)
    /// How long a connection is reserved for a claimed download.
    static let timeToStart = Duration.seconds(5)
    /// How long one is reserved for refused downloads, which try again after at most 15 seconds.
    static let timeToReturn = Duration.seconds(20)

    /// The number of open connections.
    public private(set) var open = 0
    private var allocations: [DownloadID: Allocation] = [:]
    /// The downloads that wanted more connections than they have when they were last heard of. Some demands may have
    /// expired. With a thousand downloads on one connection each it is empty, and no call looks at all of them.
    private var wanting: Set<DownloadID> = []
    /// When the last demand expires.
    private var demandsEnd: Timestamp?
    /// How many downloads have how many connections.
    private var tally: [Int: Int] = [:]
    /// Claimed downloads without a connection, and the time until which they count as starting.
    private var starting: [DownloadID: Timestamp] = [:]
    private var turnedAway: [DownloadID: Timestamp] = [:]
    /// Whether queued downloads are waiting for a connection to the host.
    public var isAwaited = false

    public init() {}

    /// The number of downloads that have a connection.
    public var downloads: Int { allocations.count }

    public func connections(of download: DownloadID) -> Int { allocations[download]?.count ?? 0 }

    /// The number of claimed downloads that will soon open their first connection.
    public func starting(at now: Timestamp) -> Int {
        starting.values.count { $0.isAhead(of: now, within: Self.timeToStart) }
    }

    // MARK: - Events

    public mutating func recordOpened(by download: DownloadID) {
        open += 1
        let count = connections(of: download) + 1
        allocations[download, default: Allocation()].count = count
        tally.move(from: count - 1, to: count)
        updateWanting(download)
        if !starting.isEmpty { starting[download] = nil }
        if !turnedAway.isEmpty { turnedAway[download] = nil }
    }

    /// Records that a connection of a download was closed. Does nothing if the download has none.
    public mutating func recordClosed(by download: DownloadID) {
        guard let count = allocations[download]?.count else { return }
        open -= 1
        if count > 1 { allocations[download]?.count = count - 1 } else { allocations[download] = nil }
        tally.move(from: count, to: count - 1)
        updateWanting(download)
    }

    /// Records that downloads were claimed and will soon need their first connection.
    public mutating func recordStarting(_ downloads: [DownloadID], at now: Timestamp) {
        starting = starting.filter { $0.value.isAhead(of: now, within: Self.timeToStart) }
        for download in downloads where allocations[download] == nil { starting[download] = now + Self.timeToStart }
    }

    /// Records that a download was refused its first connection because others use all of them.
    public mutating func recordTurnedAway(_ download: DownloadID, at now: Timestamp) {
        turnedAway = turnedAway.filter { $0.value.isAhead(of: now, within: Self.timeToReturn) }
        turnedAway[download] = now + Self.timeToReturn
    }

    /// Records that a download could use `count` more connections.
    public mutating func recordDemand(of download: DownloadID, for count: Int, at now: Timestamp) {
        guard var allocation = allocations[download] else { return }
        allocation.requested = allocation.count + count
        allocation.wantedUntil = now + Self.memory
        demandsEnd = allocation.wantedUntil
        allocations[download] = allocation
        updateWanting(download)
    }

    private mutating func updateWanting(_ download: DownloadID) {
        if let allocation = allocations[download], allocation.requested > allocation.count {
            wanting.insert(download)
        } else {
            wanting.remove(download)
        }
    }

    // MARK: - Shares

    /// The number of connections that a download may have, at least 1.
    ///
    /// A thousand downloads ask for it regularly, so that it must not look at all of them. It does so only if there are
    /// too few connections and the share decides.
    ///
    /// - Parameters:
    ///   - limit: The host's current limit of connections.
    ///   - enough: The number of connections that the download can use. A share that is larger need not be exact.
    public func share(of download: DownloadID, limit: Int, enough: Int = .max, at now: Timestamp) -> Int {
        let (own, reserved) = (connections(of: download), reserved(at: now))
        // The usual case: there are enough connections for all downloads.
        let room = limit - (open - own) - reserved
        if room > own, !isWanted(besides: download, at: now) { return room }
        var (left, parties) = (limit - reserved, allocations.count + (own == 0 ? 1 : 0))
        guard left > parties else { return 1 }
        // No download gets less than an equal share.
        if left / parties >= enough { return left / parties }
        // A download whose demand is below an equal share gets its demand; the others share the rest.
        var level = 0
        for (demand, count) in demands(besides: download, at: now) {
            guard demand <= left / parties else { break }
            (left, parties, level) = (left - demand * count, parties - count, demand)
        }
        let (equal, rest) = left.quotientAndRemainder(dividingBy: parties)
        guard rest > 0 else { return max(equal, 1) }
        // Older downloads get one connection more each until the remainder is used up.
        let elders = allocations.count { other, allocation in
            other != download && demand(of: allocation, at: now) > level && other.text < download.text
        }
        return max(equal + (elders < rest ? 1 : 0), 1)
    }

    /// How many other downloads have how much demand, in ascending order of the demand.
    private func demands(besides download: DownloadID, at now: Timestamp) -> [(demand: Int, count: Int)] {
        var tally = tally
        tally.move(from: connections(of: download), to: 0)
        if isDemandKnown(at: now) {
            for other in wanting where other != download {
                guard let allocation = allocations[other] else { continue }
                tally.move(from: allocation.count, to: demand(of: allocation, at: now))
            }
        }
        return tally.sorted { $0.key < $1.key }.map { (demand: $0.key, count: $0.value) }
    }

    /// Whether another download is waiting for a connection or could use more.
    public func isContended(besides download: DownloadID, at now: Timestamp) -> Bool {
        reserved(at: now) > 0 || isWanted(besides: download, at: now)
    }

    /// The number of connections reserved for downloads without one. For queued and refused downloads only one is
    /// reserved.
    private func reserved(at now: Timestamp) -> Int {
        let isKept = isAwaited || turnedAway.values.contains { $0.isAhead(of: now, within: Self.timeToReturn) }
        return starting(at: now) + (isKept ? 1 : 0)
    }

    /// Whether a demand may not have expired yet.
    private func isDemandKnown(at now: Timestamp) -> Bool {
        demandsEnd?.isAhead(of: now, within: Self.memory) ?? false
    }

    private func isWanted(besides download: DownloadID, at now: Timestamp) -> Bool {
        guard isDemandKnown(at: now) else { return false }
        return wanting.contains { other in
            guard other != download, let allocation = allocations[other] else { return false }
            return demand(of: allocation, at: now) > allocation.count
        }
    }

    private func demand(of allocation: Allocation, at now: Timestamp) -> Int {
        guard let until = allocation.wantedUntil, until.isAhead(of: now, within: Self.memory) else {
            return allocation.count
        }
        return max(allocation.requested, allocation.count)
    }
}

extension [Int: Int] {
    /// Counts one download under another number. Downloads with 0 are not counted.
    fileprivate mutating func move(from old: Int, to new: Int) {
        guard old != new else { return }
        if old > 0 {
            let left = (self[old] ?? 0) - 1
            self[old] = left > 0 ? left : nil
        }
        if new > 0 { self[new, default: 0] += 1 }
    }
}
