/// An action on many downloads, by a filter or by ids.
public struct BulkAction: Hashable, Sendable, Encodable {
    /// `pause`, `resume`, `cancel`, `retry` or `delete`.
    public var action: String
    /// A filter without conditions is all downloads. Either this or ``ids``.
    public var filter: DownloadFilter?
    public var ids: [String]?
    /// Whether the downloads are only counted.
    public var dryRun: Bool?
    /// With `cancel`: whether the bytes are kept.
    public var keepPartial: Bool?
    /// With `delete`: whether downloads that have not ended are deleted too.
    public var force: Bool?
    /// With `delete`: whether the finished files are deleted too.
    public var deleteFile: Bool?

    public init(_ action: String, filter: DownloadFilter? = nil, ids: [String]? = nil) {
        self.action = action
        self.filter = filter
        self.ids = ids
    }
}
