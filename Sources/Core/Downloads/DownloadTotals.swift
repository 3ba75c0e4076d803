/// Counts and sums over several downloads, or the differences that a change makes to them.
public struct DownloadTotals: Hashable, Sendable {
    /// The number of downloads in each state; states without downloads may be missing.
    public var counts: [DownloadState: Int]
    public var receivedBytes: Int64
    /// The sum of the known sizes.
    public var totalBytes: Int64

    public init(counts: [DownloadState: Int] = [:], receivedBytes: Int64 = 0, totalBytes: Int64 = 0) {
        self.counts = counts
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
    }

    /// The number of downloads in some states; in all states if none is given.
    public func count(of states: [DownloadState] = []) -> Int {
        let states = states.isEmpty ? DownloadState.allCases : states
        return Set(states).reduce(0) { $0 + (counts[$1] ?? 0) }
    }

    /// Counts a change of one download: `old` is nil if it is new, `new` if it is deleted.
    public mutating func count(from old: Download?, to new: Download?) {
        if old?.state != new?.state {
            if let old { counts[old.state, default: 0] -= 1 }
            if let new { counts[new.state, default: 0] += 1 }
        }
        receivedBytes += (new?.progress.durableBytes ?? 0) - (old?.progress.durableBytes ?? 0)
        totalBytes += (new?.progress.totalBytes ?? 0) - (old?.progress.totalBytes ?? 0)
    }
}
