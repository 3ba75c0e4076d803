/// The changes of `expires_at` and `keep_file_seconds`. At most one of them sets a value, which replaces the other.
public struct RetentionChanges: Hashable, Sendable {
    public var instant: DownloadEdit.Change<FileRetention>?
    public var period: DownloadEdit.Change<FileRetention>?

    public init() {}

    public var isEmpty: Bool { instant == nil && period == nil }

    /// The instant that the changes set; nil if they set none.
    public var newInstant: Timestamp? { instant?.value?.instant }

    public func applied(to retention: FileRetention?) -> FileRetention? {
        var result = retention
        switch retention {
        case .until: if instant != nil { result = nil }
        case .after, .forever: if period != nil { result = nil }
        case nil: break
        }
        return instant?.value ?? period?.value ?? result
    }
}
