public import Core

/// Downloads that wait for space, in the order in which they are queued again.
struct SpaceDeadlock {
    /// The first ones of the order.
    let oldest: [Download]
    /// The last ones of the order, the last first.
    let youngest: [Download]
    /// The bytes above the limit at which waiting downloads continue; negative below the limit.
    let room: Int64
    let needs: DownloadSpaceNeeds

    /// The download whose bytes to discard; nil if one can continue as it is, or none could even then.
    var givenUp: Download? {
        for download in oldest {
            let missing = needs.bytes(of: download) - room
            guard missing > 0 else { return nil }
            let held = youngest.prefix { $0.id != download.id }.filter(\.holdsUnknownLength)
            if held.reduce(0, { $0 + $1.progress.durableBytes }) >= missing { return held.first }
        }
        return nil
    }
}

/// The disk space that downloads need to continue.
public struct DownloadSpaceNeeds: Hashable, Sendable {
    /// Those that attempts have found, by download.
    public var known: [DownloadID: Int64]
    /// The bytes without which a download of unknown length would stop at once.
    public var unknownLength: Int64

    public init(known: [DownloadID: Int64] = [:], unknownLength: Int64 = 0) {
        (self.known, self.unknownLength) = (known, unknownLength)
    }

    func bytes(of download: Download) -> Int64 {
        if let total = download.progress.totalBytes { return max(total - download.progress.durableBytes, 0) }
        return known[download.id].map { max($0, unknownLength) } ?? unknownLength
    }
}

extension Download {
    fileprivate var holdsUnknownLength: Bool { progress.totalBytes == nil && progress.durableBytes > 0 }
}
