public import Model
import Synchronization

/// The hosts that downloads are fetched from: how many connections each has, and what it was seen to bear.
///
/// It holds for all downloads together. A host of which nothing was learned is forgotten with its last connection, and
/// every other an hour after it was last heard of.
public final class HostTable: Sendable {
    private struct Entry {
        var governor: HostGovernor
        var versions = HTTPVersionMemory()
        var width = HostWidth()
        var heardAt: Timestamp
        var open = 0
        /// Whether downloads were left in the queue because the host was full.
        var isAwaited = false

        /// Whether fewer connections may be opened than the settings allow.
        var isLimiting: Bool { governor.cap < governor.ceiling || open >= governor.cap || isAwaited }

        func isPristine(at now: Timestamp) -> Bool {
            governor.isPristine(at: now) && versions.isPristine(at: now) && width.most(at: now) == nil
        }

        func snapshot(at now: Timestamp) -> HostSnapshot {
            var snapshot = governor.snapshot(at: now, open: open)
            snapshot.connectionsPerDownload = width.most(at: now)
            return snapshot
        }
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Those of the entries that limit claims: the few that are looked at with each.
        var limiting: Set<String> = []
        var sweptAt: Timestamp?

        mutating func keep(_ entry: Entry?, of authority: String) {
            entries[authority] = entry
            if entry?.isLimiting == true { limiting.insert(authority) } else { limiting.remove(authority) }
        }

        /// Forgets the hosts that nothing was heard of for long.
        mutating func sweep(at now: Timestamp) {
            if let sweptAt, (.zero..<HostTable.sweepInterval).contains(now - sweptAt) { return }
            sweptAt = now
            for (authority, entry) in entries where entry.open == 0 && now - entry.heardAt > HostTable.memory {
                guard entry.governor.snapshot(at: now, open: 0).state != .frozen else { continue }
                keep(nil, of: authority)
            }
        }
    }

    private let state = Mutex(State())
    /// How long what was learned of a host is kept, and how often it is looked whether it has to go.
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
    func admit(_ authority: String, for download: DownloadID) throws(HostWait) -> HostPass {
        let admission = update(authority) { entry, now in
            let admission = entry.governor.mayOpen(at: now, open: entry.open, for: download)
            if admission == .open { entry.open += 1 }
            return admission
        }
        switch admission {
        case .open: return HostPass(authority: authority, download: download, hosts: self)
        case .wait(let until, let reason): throw HostWait(authority: authority, until: until, reason: reason)
        }
    }

    /// How many of `wanted` further connections would be let in now, none of them as a probe.
    func room(for wanted: Int, at authority: String, of download: DownloadID) -> Int {
        update(authority) { entry, now in
            guard entry.governor.snapshot(at: now, open: entry.open).state == .closed else { return 0 }
            // Asked for the last of them: that tells the governor whether its cap is what limits.
            _ = entry.governor.mayOpen(at: now, open: entry.open + wanted - 1, for: download)
            return max(min(wanted, entry.governor.cap - entry.open), 0)
        }
    }

    /// The connections of one download that a host bears, as far as is known.
    func width(of authority: String) -> Int {
        let now = time.now
        let entry = state.withLock { $0.entries[authority] }
        return min(entry?.governor.cap ?? ceiling, entry?.width.most(at: now) ?? .max)
    }

    func close(_ authority: String) {
        update(authority) { entry, _ in entry.open = max(entry.open - 1, 0) }
    }

    /// Tells the governor what came of a connection.
    func note(_ authority: String, _ body: (inout HostGovernor, Timestamp) -> Void) {
        update(authority) { entry, now in body(&entry.governor, now) }
    }

    /// Tells the governor that a connection was turned away.
    func noteRefusal(by authority: String, of download: DownloadID, retryAfter: Duration? = nil) {
        update(authority) { entry, now in
            entry.governor.noteRefusal(at: now, of: download, open: entry.open, retryAfter: retryAfter)
        }
    }

    /// Notes that a download was refused one connection more than it has, or its link.
    func noteForbidden(by authority: String, beside working: Int, isFirstRequest: Bool) {
        update(authority) { entry, now in
            if isFirstRequest, working > 0 {
                entry.width.noteRefusal(beside: working, at: now)
            } else {
                entry.width.noteRefusalOfLink()
            }
        }
    }

    private func update<Value: Sendable>(_ authority: String, _ body: (inout Entry, Timestamp) -> Value) -> Value {
        let now = time.now
        let (value, hasOpened) = state.withLock { state in
            state.sweep(at: now)
            var entry =
                state.entries[authority] ?? Entry(governor: HostGovernor(ceiling: ceiling, rules: rules), heardAt: now)
            entry.heardAt = now
            let value = body(&entry, now)
            let hasOpened = entry.isAwaited && entry.open < entry.governor.cap
            if hasOpened { entry.isAwaited = false }
            state.keep(entry.open == 0 && entry.isPristine(at: now) ? nil : entry, of: authority)
            return (value, hasOpened)
        }
        if hasOpened { openingContinuation.yield() }
        return value
    }

    // MARK: - Versions of HTTP

    /// Whether the host does not let itself be asked in HTTP/1.1.
    func needsHTTP2(_ authority: String) -> Bool {
        let now = time.now
        return state.withLock { $0.entries[authority]?.versions.needsHTTP2(at: now) ?? false }
    }

    /// Whether a request may be made in HTTP/2, which may make it the host's trial.
    func mayShare(_ authority: String) -> Bool {
        update(authority) { entry, now in entry.versions.mayShare(at: now) }
    }

    func noteVersions(of authority: String, _ body: (inout HTTPVersionMemory, Timestamp) -> Void) {
        update(authority) { entry, now in body(&entry.versions, now) }
    }

    // MARK: - Claims

    /// How many downloads of a host are worth running, for hosts where that is fewer than `most`: none where it has all
    /// the connections that it bears. ``openings`` says when it has not any more.
    ///
    /// What a `Retry-After` or failures hold back is the store's to know: it outlives the process.
    public func claimLimits(below most: Int) -> [String: Int] {
        let now = time.now
        return state.withLock { state in
            var limits: [String: Int] = [:]
            for authority in state.limiting {
                guard var entry = state.entries[authority] else { continue }
                let snapshot = entry.governor.snapshot(at: now, open: entry.open)
                guard snapshot.state == .closed else { continue }
                if entry.open >= snapshot.cap {
                    entry.governor.noteDemand(at: now)
                    entry.isAwaited = entry.open >= entry.governor.cap
                    state.keep(entry, of: authority)
                }
                let limit = entry.isAwaited ? 0 : entry.governor.cap
                if limit < most { limits[authority] = limit }
            }
            return limits
        }
    }

    // MARK: - Looking

    /// How every host stands of which something is known, by its authority.
    public var snapshots: [String: HostSnapshot] {
        let now = time.now
        return state.withLock { $0.entries.mapValues { $0.snapshot(at: now) } }
    }

    /// How a host stands. One of which nothing is known is as good as new.
    public func snapshot(of authority: String) -> HostSnapshot {
        let now = time.now
        let entry = state.withLock { $0.entries[authority] }
        return entry?.snapshot(at: now) ?? HostGovernor(ceiling: ceiling, rules: rules).snapshot(at: now, open: 0)
    }

    /// Whether anything is known of a host.
    public func knows(_ authority: String) -> Bool {
        state.withLock { $0.entries[authority] != nil }
    }
}
