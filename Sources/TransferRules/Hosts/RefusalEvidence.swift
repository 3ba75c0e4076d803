import Core

/// Decides whether a 503 concerns the host or one download's URL, from the latest downloads that the host served and
/// refused.
struct RefusalEvidence: Hashable, Sendable {
    /// The latest download with an event, and the latest other one, with their times.
    private struct LatestTwo: Hashable {
        private var latest: (id: DownloadID, at: Timestamp)?
        private var other: (id: DownloadID, at: Timestamp)?

        mutating func record(_ id: DownloadID, at now: Timestamp) {
            if let latest, latest.id != id { other = latest }
            latest = (id, now)
        }

        func at(_ id: DownloadID) -> Timestamp? {
            if let latest, latest.id == id { return latest.at }
            return other.flatMap { $0.id == id ? $0.at : nil }
        }

        func at(besides id: DownloadID) -> Timestamp? { latest.flatMap { $0.id == id ? other?.at : $0.at } }

        var latestAt: Timestamp? { latest?.at }

        static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.latest?.id == rhs.latest?.id && lhs.latest?.at == rhs.latest?.at
                && lhs.other?.id == rhs.other?.id && lhs.other?.at == rhs.other?.at
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(latest?.id)
            hasher.combine(other?.id)
        }
    }

    private var accepted = LatestTwo()
    private var refused = LatestTwo()
    /// How long an event counts.
    private let memory: Duration

    init(memory: Duration) { self.memory = memory }

    mutating func recordResponse(to download: DownloadID, at now: Timestamp) { accepted.record(download, at: now) }

    mutating func recordRefusal(of download: DownloadID, at now: Timestamp) { refused.record(download, at: now) }

    /// Whether a refusal concerns only this download: the host has recently served another download, has refused no
    /// other one, and has not served this one.
    func isOwn(_ download: DownloadID, at now: Timestamp) -> Bool {
        isRecent(accepted.at(besides: download), now) && !isRecent(refused.at(besides: download), now)
            && !isRecent(accepted.at(download), now)
    }

    /// Whether a refusal without `Retry-After` concerns the host: another download was refused recently too, or this
    /// one was served recently, so that its URL works.
    func isOfHost(_ download: DownloadID, at now: Timestamp) -> Bool {
        isRecent(refused.at(besides: download), now) || isRecent(accepted.at(download), now)
    }

    /// Whether the host has served or refused any download recently.
    func isFresh(at now: Timestamp) -> Bool { isRecent(accepted.latestAt, now) || isRecent(refused.latestAt, now) }

    private func isRecent(_ instant: Timestamp?, _ now: Timestamp) -> Bool {
        guard let instant else { return false }
        return (.zero..<memory).contains(now - instant)
    }
}
