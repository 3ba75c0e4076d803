public import Core
import Synchronization
import TransferRules

/// The hosts of all downloads: their connections and learned limits.
///
/// A host without learned limits is removed with its last connection. Other hosts are removed one hour after their last
/// event.
public final class HostTable: Sendable {
    private struct State {
        var entries: [String: HostEntry] = [:]
        /// The few hosts that limit claims. Every claim reads them.
        var limiting: Set<String> = []
        /// The ends of the requested delays that ``HostTable/removeNewDelays()`` has not returned yet.
        var newDelays: [String: Timestamp] = [:]
        var sweptAt: Timestamp?

        /// Changes an entry in place, and removes it if it contains no information.
        ///
        /// - Returns: The result of `body`, and whether queued downloads now have room.
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

        /// Removes the hosts without a recent event.
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
    private let open = Atomic<Int>(0)
    /// How long the state of a host is kept, and how often old entries are removed.
    private static let (memory, sweepInterval) = (Duration.seconds(3600), Duration.seconds(60))
    /// The maximum number of connections to one host, from the settings.
    public let maxLimit: Int
    /// Yields when a host with queued downloads has room again.
    public let openings: AsyncStream<Void>
    private let openingContinuation: AsyncStream<Void>.Continuation
    /// Yields when ``removeNewDelays()`` has a delay.
    public let delayChanges: AsyncStream<Void>
    private let delayContinuation: AsyncStream<Void>.Continuation
    private let rules: HostRules
    private let time: TimeSource

    init(maxLimit: Int, rules: HostRules, time: TimeSource) {
        self.maxLimit = maxLimit
        self.rules = rules
        self.time = time
        (openings, openingContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (delayChanges, delayContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Connections

    /// Requests a connection. It counts until its permit is closed.
    ///
    /// - Parameter isProbe: Whether failures over it are no evidence about the host.
    func admit(_ authority: String, for download: DownloadID, isProbe: Bool = false) throws(HostWait) -> HostPermit {
        let admission = update(authority) { $0.admit(download, at: $1) }
        switch admission {
        case .open:
            open.wrappingAdd(1, ordering: .relaxed)
            return HostPermit(authority: authority, download: download, isProbe: isProbe, hosts: self)
        case .wait(let until, let reason): throw HostWait(authority: authority, until: until, reason: reason)
        }
    }

    /// The number of open connections to all hosts.
    var openConnections: Int { open.load(ordering: .relaxed) }

    /// The number of further connections, up to `requested`, that would be admitted now, none of them as a probe.
    func room(for requested: Int, at authority: String, of download: DownloadID) -> Int {
        update(authority) { $0.room(for: requested, of: download, at: $1) }
    }

    /// The maximum number of connections that a download may have to a host: the host's learned limit per download, or
    /// its fair share if that is lower.
    ///
    /// - Parameter enough: The number of connections that the download can use. A limit above it need not be exact.
    func connectionLimit(of authority: String, for download: DownloadID, enough: Int = .max) -> Int {
        let now = time.now
        return state.withLock {
            $0.entries[authority]?.connectionLimit(for: download, enough: enough, at: now) ?? maxLimit
        }
    }

    /// The number of connections that a download should close for other downloads of the host.
    func surplus(of download: DownloadID, at authority: String) -> Int {
        let now = time.now
        return state.withLock { $0.entries[authority]?.surplus(of: download, at: now) ?? 0 }
    }

    /// Records that a download needs `count` more connections. Other downloads may have to close connections for it.
    func recordDemand(of download: DownloadID, for count: Int, at authority: String) {
        update(authority) { $0.recordDemand(of: download, for: count, at: $1) }
    }

    func close(_ authority: String, of download: DownloadID) {
        open.wrappingSubtract(1, ordering: .relaxed)
        update(authority) { entry, _ in entry.shares.recordClosed(by: download) }
    }

    /// Updates the governor with the result of a connection.
    func updateGovernor(_ authority: String, _ body: (inout HostGovernor, Timestamp) -> Void) {
        update(authority) { entry, now in body(&entry.governor, now) }
    }

    /// Records a response whose body was accepted.
    func recordSuccess(by authority: String, of download: DownloadID) {
        let endsDelay = update(authority) { $0.governor.recordSuccess(at: $1, of: download) }
        if endsDelay { openingContinuation.yield() }
    }

    /// Records a refused connection.
    func recordRefusal(
        by authority: String,
        of download: DownloadID,
        retryAfter: Duration? = nil,
        because cause: HostEvent.Cause = .refused
    ) {
        update(authority) { entry, now in
            entry.proven.forget()
            entry.governor.recordRefusal(
                at: now,
                of: download,
                open: entry.shares.open,
                retryAfter: retryAfter,
                because: cause
            )
        }
        if retryAfter != nil { noteDelay(of: authority) }
    }

    /// Records a response with status 503.
    ///
    /// - Returns: Whether the response concerns the host, and not only the requested file.
    @discardableResult
    func recordUnavailable(_ authority: String, of download: DownloadID, retryAfter: Duration? = nil) -> Bool {
        let isOfHost = update(authority) { entry, now in
            let isOfHost = entry.governor.recordUnavailable(
                at: now,
                of: download,
                open: entry.shares.open,
                retryAfter: retryAfter
            )
            if isOfHost { entry.proven.forget() }
            return isOfHost
        }
        if isOfHost, retryAfter != nil { noteDelay(of: authority) }
        return isOfHost
    }

    /// Keeps the end of a delay for ``removeNewDelays()``.
    private func noteDelay(of authority: String) {
        let now = time.now
        let isDelayed = state.withLock { state in
            guard let snapshot = state.entries[authority]?.snapshot(at: now), snapshot.state == .throttled,
                let until = snapshot.heldUntil
            else { return false }
            state.newDelays[authority] = until
            return true
        }
        if isDelayed { delayContinuation.yield() }
    }

    /// The ends of the delays that hosts have requested since the last call, by authority.
    ///
    /// A download may continue with a mirror, so its outcome does not tell of each delay.
    public func removeNewDelays() -> [String: Timestamp] {
        state.withLock { state in
            defer { state.newDelays = [:] }
            return state.newDelays
        }
    }

    /// Records a response with status 403, for a further connection of a download or for its URL.
    func recordForbidden(by authority: String, beside working: Int, isFirstRequest: Bool) {
        update(authority) { entry, now in
            if isFirstRequest, working > 0 {
                entry.proven.forget()
                entry.connectionLimit.recordRefusal(beside: working, at: now)
            } else {
                entry.connectionLimit.recordURLRefusal()
            }
        }
    }

    /// The connections that a host accepted last; nil if they are unknown.
    func provenConnections(at authority: String) -> ProvenConnections? {
        let now = time.now
        return state.withLock { $0.entries[authority]?.proven.last(at: now) }
    }

    /// Records how many connections of a download were useful at a host.
    func recordProven(_ connections: ProvenConnections, at authority: String) {
        update(authority) { $0.proven.record(connections, at: $1) }
    }

    private func update<Value: Sendable>(_ authority: String, _ body: (inout HostEntry, Timestamp) -> Value) -> Value {
        let now = time.now
        let (value, hasOpened) = state.withLock { state in
            state.sweep(at: now)
            return state.change(
                authority,
                at: now,
                orNew: HostEntry(governor: HostGovernor(maxLimit: maxLimit, rules: rules), heardAt: now),
                body
            )
        }
        if hasOpened { openingContinuation.yield() }
        return value
    }

    // MARK: - HTTP versions

    /// Whether the host refuses HTTP/1.1.
    func needsHTTP2(_ authority: String) -> Bool {
        let now = time.now
        return state.withLock { $0.entries[authority]?.versions.needsHTTP2(at: now) ?? false }
    }

    /// Whether a request may use HTTP/2. The request may become the host's trial of HTTP/2.
    func mayShare(_ authority: String) -> Bool {
        update(authority) { entry, now in entry.versions.mayShare(at: now) }
    }

    /// Whether a request that HTTP/1.1 did not answer is repeated over HTTP/2.
    func mayOfferHTTP2(_ authority: String) -> Bool {
        update(authority) { entry, now in entry.versions.mayOffer(at: now) }
    }

    func mayUseHTTP3(_ authority: String) -> Bool {
        let now = time.now
        return state.withLock { $0.entries[authority]?.versions.mayUseHTTP3(at: now) ?? true }
    }

    func updateVersions(of authority: String, _ body: (inout HTTPVersionMemory, Timestamp) -> Void) {
        update(authority) { entry, now in body(&entry.versions, now) }
    }

    // MARK: - If-Range

    /// The learned state of the host's `If-Range` support.
    func ifRange(of authority: String) -> IfRangeMemory {
        state.withLock { $0.entries[authority]?.ifRange ?? IfRangeMemory() }
    }

    /// Records whether a host honoured a form of `If-Range`, for a file that has both forms.
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

    /// For each host with fewer free places than `most`: how many more downloads may start, 0 if all its connections
    /// are in use.
    ///
    /// Delays from `Retry-After` or failures are not included: the store keeps them, because they must outlive the
    /// process.
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

    /// Records the downloads of a claim, and the hosts for which the claim left downloads in the queue. Running
    /// downloads of these hosts with several connections close one. ``openings`` yields when a host has room.
    public func recordClaim(of downloads: [(authority: String, id: DownloadID)], leaving left: Set<String>) {
        let (limiting, awaited) = state.withLock { state in
            (state.limiting, state.limiting.filter { state.entries[$0]?.shares.isAwaited == true })
        }
        // Claimed downloads must be recorded first: they use the room that would be announced to the queued ones.
        for (authority, claimed) in Dictionary(grouping: downloads, by: \.authority)
        where limiting.contains(authority) {
            update(authority) { $0.shares.recordStarting(claimed.map(\.id), at: $1) }
        }
        for authority in awaited.union(left) {
            update(authority) { $0.recordLeft(left.contains(authority), at: $1) }
        }
    }

    // MARK: - Snapshots

    /// The states of all known hosts, by authority.
    public var snapshots: [String: HostSnapshot] {
        let now = time.now
        return state.withLock { state in
            state.entries.filter { !$0.value.isPristine(at: now) }.mapValues { $0.snapshot(at: now) }
        }
    }

    /// The state of a host; for an unknown host, the initial state.
    public func snapshot(of authority: String) -> HostSnapshot {
        let now = time.now
        let entry = state.withLock { $0.entries[authority] }
        return entry?.snapshot(at: now) ?? HostGovernor(maxLimit: maxLimit, rules: rules).snapshot(at: now, open: 0)
    }

    /// Whether the table has learned anything about the host.
    public func knows(_ authority: String) -> Bool {
        let now = time.now
        return state.withLock { $0.entries[authority].map { !$0.isPristine(at: now) } ?? false }
    }
}
