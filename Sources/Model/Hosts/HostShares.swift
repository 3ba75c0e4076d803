/// Who has the connections to one host, and how many each may have where not all can have as many as they would.
///
/// They are shared out max-min fairly (Bertsekas and Gallager, Data Networks, section 6.5.2): nobody has more than
/// somebody who would have another. So one large file keeps nobody waiting who could do with a single connection.
public struct HostShares: Hashable, Sendable {
    /// How long it counts that a download would have more, unless it says so again.
    static let memory = Duration.seconds(1)
    /// The longest that a connection is kept.
    static let longestKeep = Duration.seconds(20)

    /// The connections that are open.
    public private(set) var open = 0
    private var held: [DownloadID: Int] = [:]
    /// Until when each of ``held`` counts as one that would have more.
    private var wanting: [DownloadID: Timestamp] = [:]
    /// Until when one connection is kept for a download that has none and is about to ask.
    private var keptUntil: Timestamp?
    /// Whether downloads that have none wait for one to be free: until then somebody is to give one up.
    public var isAwaited = false

    public init() {}

    /// How many downloads have a connection.
    public var holders: Int { held.count }

    public func connections(of download: DownloadID) -> Int { held[download] ?? 0 }

    public mutating func noteOpened(by download: DownloadID) {
        open += 1
        if held[download] == nil { keptUntil = nil }
        held[download, default: 0] += 1
    }

    /// Notes that one of a download's connections has ended; where it has none that is no fault.
    public mutating func noteClosed(by download: DownloadID) {
        guard let count = held[download] else { return }
        open -= 1
        held[download] = count > 1 ? count - 1 : nil
        if count == 1 { wanting[download] = nil }
    }

    /// Notes that a download would have more connections than it has.
    public mutating func noteDemand(of download: DownloadID, at now: Timestamp) {
        guard held[download] != nil else { return }
        wanting[download] = now + Self.memory
    }

    /// Keeps one connection until a download asks for its first.
    public mutating func keepOne(for time: Duration, at now: Timestamp) {
        let until = now + min(time, Self.longestKeep)
        keptUntil = isWithin(Self.longestKeep, until: keptUntil, at: now) ? max(keptUntil ?? until, until) : until
    }

    /// The connections that a download may have, at least 1.
    ///
    /// - Parameter cap: The connections that the host bears.
    public func share(of download: DownloadID, cap: Int, at now: Timestamp) -> Int {
        let own = connections(of: download)
        let kept = isKept(at: now) ? 1 : 0
        let room = cap - (open - own) - kept
        // Mostly there is enough for everybody, and nothing to be shared out.
        if room > own, !isWanted(besides: download, at: now) { return room }
        var unmet = held.filter { $0.key != download }
        for other in wanting.keys where unmet[other] != nil {
            if isWithin(Self.memory, until: wanting[other], at: now) { unmet[other] = .max }
        }
        var (left, parties) = (cap - kept, unmet.count + 1)
        // Who has less than an equal part keeps what it has, and the others share what it leaves.
        for (other, demand) in unmet.sorted(by: { $0.value < $1.value }) {
            guard demand <= left / parties else { break }
            left -= demand
            parties -= 1
            unmet[other] = nil
        }
        let elders = unmet.keys.count { $0.text < download.text }
        return max(left / parties + (elders < left % parties ? 1 : 0), 1)
    }

    /// Whether another download than this one waits for a connection, or would have more.
    public func isContended(besides download: DownloadID, at now: Timestamp) -> Bool {
        isKept(at: now) || isWanted(besides: download, at: now)
    }

    private func isWanted(besides download: DownloadID, at now: Timestamp) -> Bool {
        wanting.contains { $0.key != download && isWithin(Self.memory, until: $0.value, at: now) }
    }

    private func isKept(at now: Timestamp) -> Bool {
        isAwaited || isWithin(Self.longestKeep, until: keptUntil, at: now)
    }

    /// Whether an instant is to come, and no further away than a clock that was not set back would have it.
    private func isWithin(_ longest: Duration, until: Timestamp?, at now: Timestamp) -> Bool {
        guard let until else { return false }
        return now < until && until - now <= longest
    }
}
