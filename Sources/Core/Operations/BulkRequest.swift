/// A request for an action on many downloads.
public struct BulkRequest: Hashable, Sendable {
    public var action: BulkAction
    /// The downloads to act on. A list of ids is a filter too.
    public var filter: DownloadFilter
    /// Whether downloads are only counted, not changed.
    public var isDryRun: Bool
    /// For `cancel`: whether the bytes are kept for a retry.
    public var keepsPartial: Bool
    /// For `delete`: whether downloads that have not ended are cancelled first.
    public var forces: Bool
    /// For `delete`: whether the finished files are removed too.
    public var removesFile: Bool

    public init(
        action: BulkAction,
        filter: DownloadFilter = DownloadFilter(),
        isDryRun: Bool = false,
        keepsPartial: Bool = false,
        forces: Bool = false,
        removesFile: Bool = true
    ) {
        self.action = action
        self.filter = filter
        self.isDryRun = isDryRun
        self.keepsPartial = keepsPartial
        self.forces = forces
        self.removesFile = removesFile
    }
}
