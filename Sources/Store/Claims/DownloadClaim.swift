public import Model

/// What one claim brought.
public struct DownloadClaim: Sendable {
    /// Those that run from now on, in the order in which they were chosen.
    public let downloads: [ClaimedDownload]
    /// The limits of ``Slots/hostLimits`` that kept others in the queue, by host. None where every slot was taken:
    /// without the limits others would run, but no more.
    public let left: [String: Int]

    static let nothing = DownloadClaim(downloads: [], left: [:])
}
