/// Downloads that wait for space, in the order in which they are queued again.
public struct SpaceDeadlock: Sendable {
    private let oldest: [Download]
    private let youngest: [Download]
    private let room: Int64
    private let needs: DownloadSpaceNeeds

    /// - Parameters:
    ///   - oldest: The first ones of the order.
    ///   - youngest: The last ones of the order, the last first.
    ///   - room: The bytes above the limit at which waiting downloads continue; negative below the limit.
    public init(oldest: [Download], youngest: [Download], room: Int64, needs: DownloadSpaceNeeds) {
        (self.oldest, self.youngest, self.room, self.needs) = (oldest, youngest, room, needs)
    }

    /// The download whose bytes to discard; nil if one can continue as it is, or none could even then.
    public var givenUp: Download? {
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

    /// The bytes that a download needs to continue.
    public func bytes(of download: Download) -> Int64 {
        if let total = download.progress.totalBytes { return max(total - download.progress.durableBytes, 0) }
        return known[download.id].map { max($0, unknownLength) } ?? unknownLength
    }
}

extension Download {
    fileprivate var holdsUnknownLength: Bool { progress.totalBytes == nil && progress.durableBytes > 0 }
}
