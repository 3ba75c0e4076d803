public import Core
import Synchronization
import TransferRules

/// The hosts of downloads: the connections of each, and its learned limits.
///
/// It holds for all downloads together. A host of which nothing was learned is forgotten with its last connection, and
/// every other an hour after it was last heard of.
public final class HostTable: Sendable {
    private struct State {
        var entries: [String: HostEntry] = [:]
        /// The few entries that limit claims, which each claim reads.
        var limiting: Set<String> = []
        var sweptAt: Timestamp?

        /// Changes an entry in place, and removes it if it has no information.
        ///
        /// - Returns: What `body` does, and whether more of what was left in the queue may run.
        mutating func change<Value>(
            _ authority: String,
            at now: Timestamp,
            orNew entry: @autoclosure () -> HostEntry,
            _ body: (inout HostEntry, Timestamp) -> Value
        ) -> (Value, hasOpened: Bool) {
            let result = entries[authority, default: entry()].change(at: now, body)
            let isLimiting = entries[authority]?.isLimiting == true
            if isLimiting { limiting.insert(authority) } else { limiting.remove(authority) }
            if entries[authority]?.isForgettable(at: now) == true { forget(authority) }
            return result
        }

        mutating func forget(_ authority: String) {
            entries[authority] = nil
            limiting.remove(authority)
        }

        /// Forgets the hosts that nothing was heard of for long.
        mutating func sweep(at now: Timestamp) {
            if let sweptAt, (.zero..<HostTable.sweepInterval).contains(now - sweptAt) { return }
            sweptAt = now
            for (authority, entry) in entries where entry.shares.open == 0 {
                guard now - entry.heardAt > HostTable.memory || entry.isForgettable(at: now) else { continue }
                guard entry.snapshot(at: now).state != .throttled, !entry.shares.isAwaited else { continue }
                forget(authority)
            }
        }
    }

    private let state = Mutex(State())
    /// How long the state of a host is kept, and how often old entries are removed.
    private static let (memory, sweepInterval) = (Duration.seconds(3600), Duration.seconds(60))
    /// The most connections that the settings allow to one host.
    public let ceiling: Int
    /// Yields when a host has room again for which downloads were left in the queue.
    public let openings: AsyncStream<Void>
    private let openingContinuation: AsyncStream<Void>.Continuation
    private let rules: HostRules
    private let time: TimeSource

    init(ceiling: Int, rules: HostRules, time: TimeSource) {
        self.ceiling = ceiling
        self.rules = rules
        self.time = time
        (openings, openingContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Connections

    /// Asks for a connection, which counts until its pass is closed.
    func admit(_ authority: String, for download: DownloadID) throws(HostWait) -> HostPermit {
        let admission = update(authority) { $0.admit(download, at: $1) }
        switch admission {
        case .open: return HostPermit(authority: authority, download: download, hosts: self)
        case .wait(let until, let reason): throw HostWait(authority: authority, until: until, reason: reason)
        }
    }

    /// How many of `requested` further connections of a download would be admitted now, none of them as a probe.
    func room(for requested: Int, at authority: String, of download: DownloadID) -> Int {
        update(authority) { $0.room(for: requested, of: download, at: $1) }
    }

    /// The connections that a download may have to a host: at most the host's known limit per download, and its fair
    /// share.
    func connectionLimit(of authority: String, for download: DownloadID) -> Int {
        let now = time.now
        return state.withLock { $0.entries[authority]?.connectionLimit(for: download, at: now) ?? ceiling }
    }

    /// The connections of a download that others of the host wait for.
    func surplus(of download: DownloadID, at authority: String) -> Int {
        let now = time.now
        return state.withLock { $0.entries[authority]?.surplus(of: download, at: now) ?? 0 }
    }

    /// Records that a download wants `count` more connections: others may have to close one for it.
    func recordDemand(of download: DownloadID, for count: Int, at authority: String) {
        update(authority) { $0.recordDemand(of: download, for: count, at: $1) }
    }

    func close(_ authority: String, of download: DownloadID) {
        update(authority) { entry, _ in entry.shares.recordClosed(by: download) }
    }

    /// Updates the governor with the result of a connection.
    func updateGovernor(_ authority: String, _ body: (inout HostGovernor, Timestamp) -> Void) {
        update(authority) { entry, now in body(&entry.governor, now) }
    }

    /// Records a refused connection.
    func recordRefusal(by authority: String, of download: DownloadID, retryAfter: Duration? = nil) {
        update(authority) { entry, now in
            entry.governor.recordRefusal(at: now, of: download, open: entry.shares.open, retryAfter: retryAfter)
        }
    }

    /// Records a 503.
    ///
    /// - Returns: Whether it was the host's, and not that of what the download asks for.
    @discardableResult
    func recordUnavailable(_ authority: String, of download: DownloadID, retryAfter: Duration? = nil) -> Bool {
        update(authority) { entry, now in
            entry.governor.recordUnavailable(at: now, of: download, open: entry.shares.open, retryAfter: retryAfter)
        }
    }

    /// Records a 403: for a further connection of a download, or for its URL.
    func recordForbidden(by authority: String, beside working: Int, isFirstRequest: Bool) {
        update(authority) { entry, now in
            if isFirstRequest, working > 0 {
                entry.connectionLimit.recordRefusal(beside: working, at: now)
            } else {
                entry.connectionLimit.recordURLRefusal()
            }
        }
    }

    private func update<Value: Sendable>(_ authority: String, _ body: (inout HostEntry, Timestamp) -> Value) -> Value {
        let now = time.now
        let (value, hasOpened) = state.withLock { state in
            state.sweep(at: now)
            return state.change(
                authority,
                at: now,
                orNew: HostEntry(governor: HostGovernor(ceiling: ceiling, rules: rules), heardAt: now),
                body
            )
        }
        if hasOpened { openingContinuation.yield() }
        return value
    }

    // MARK: - Versions of HTTP

    /// Whether the host refuses HTTP/1.1.
    func needsHTTP2(_ authority: String) -> Bool {
        let now = time.now
        return state.withLock { $0.entries[authority]?.versions.needsHTTP2(at: now) ?? false }
    }

    /// Whether a request may be made in HTTP/2, which may make it the host's trial.
    func mayShare(_ authority: String) -> Bool {
        update(authority) { entry, now in entry.versions.mayShare(at: now) }
    }

    func updateVersions(of authority: String, _ body: (inout HTTPVersionMemory, Timestamp) -> Void) {
        update(authority) { entry, now in body(&entry.versions, now) }
    }

    // MARK: - Conditions

    /// What is known about the host's use of `If-Range`.
    func ifRange(of authority: String) -> IfRangeMemory {
        state.withLock { $0.entries[authority]?.ifRange ?? IfRangeMemory() }
    }

    /// Records whether a host honoured a form of `If-Range` for a file that has both.
    func recordIfRange(_ form: IfRangeForm, isHonoured: Bool, by authority: String) {
        update(authority) { entry, now in
            if isHonoured {
                entry.ifRange.recordHonoured(form, at: now)
            } else {
                entry.ifRange.recordIgnored(form, at: now)
            }
        }
    }

    // MARK: - Claims

    /// How many more downloads of a host may begin, for hosts with fewer than `most`: 0 if all its connections are in
    /// use.
    ///
    /// What a `Retry-After` or failures hold back is the store's to know: it outlives the process.
    public func claimRooms(below most: Int) -> [String: Int] {
        let now = time.now
        return state.withLock { state in
            var rooms: [String: Int] = [:]
            for authority in state.limiting {
                guard let entry = state.entries[authority], entry.claimRoom(at: now) < most else { continue }
                guard entry.snapshot(at: now).state == .available else { continue }
                rooms[authority] = entry.claimRoom(at: now)
            }
            return rooms
        }
    }

    /// Records the downloads of a claim, and the hosts for which it left downloads in the queue. Downloads of these
    /// hosts with several connections close one; ``openings`` yields when there is room.
    public func recordClaim(of downloads: [(authority: String, id: DownloadID)], leaving left: Set<String>) {
        let (limiting, awaited) = state.withLock { state in
            (state.limiting, state.limiting.filter { state.entries[$0]?.shares.isAwaited == true })
        }
        // First: what was claimed takes the room that the rest would be woken for.
        for (authority, claimed) in Dictionary(grouping: downloads, by: \.authority)
        where limiting.contains(authority) {
            update(authority) { $0.shares.recordStarting(claimed.map(\.id), at: $1) }
        }
        for authority in awaited.union(left) {
            update(authority) { $0.recordLeft(left.contains(authority), at: $1) }
        }
    }

    // MARK: - Looking

    /// The state of every known host, by its authority.
    public var snapshots: [String: HostSnapshot] {
        let now = time.now
        return state.withLock { state in
            state.entries.filter { !$0.value.isPristine(at: now) }.mapValues { $0.snapshot(at: now) }
        }
    }

    /// The state of a host. An unknown host has that of a new one.
    public func snapshot(of authority: String) -> HostSnapshot {
        let now = time.now
        let entry = state.withLock { $0.entries[authority] }
        return entry?.snapshot(at: now) ?? HostGovernor(ceiling: ceiling, rules: rules).snapshot(at: now, open: 0)
    }

    /// Whether anything is known of a host.
    public func knows(_ authority: String) -> Bool {
        let now = time.now
        return state.withLock { $0.entries[authority].map { !$0.isPristine(at: now) } ?? false }
    }
}
