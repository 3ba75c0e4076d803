public import Model

/// What one claim brought.
public struct DownloadClaim: Sendable {
    /// Those that run from now on, in the order in which they were chosen.
    public let downloads: [ClaimedDownload]
    /// The hosts for which others were passed by, as ``Slots/hostRooms`` has no more room.
    public let left: Set<String>

    static let nothing = DownloadClaim(downloads: [], left: [])
}
