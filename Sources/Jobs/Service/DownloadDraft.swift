public import Model
public import Transfers

/// What a caller asks for when it makes a download: texts as they came, to be checked.
public struct DownloadDraft: Sendable {
    public var url: String
    public var directory: String?
    public var filename: String?
    public var onConflict = ConflictPolicy.rename
    public var session: SessionName?
    public var requestHeaders: [RequestCredentials.Header] = []
    public var expected = Expected()
    public var maxBytes: Int64?
    public var maxAttempts: Int?
    public var deadlineAt: Timestamp?
    public var starts = true
    public var labels: JSONText?
    public var metadata: JSONText?
    public var dedupeKey: String?
    public var acceptsUnverifiedLength = false

    public init(url: String) {
        self.url = url
    }
}

/// What a caller wants changed; a member that is nil stays as it is.
public struct DownloadChange: Sendable {
    public var action: DownloadAction?
    public var keepsPartial = false
    public var expectedRevision: Int64?
    public var url: String?
    public var requestHeaders: DownloadEdit.Change<[RequestCredentials.Header]>?
    public var deadlineAt: Timestamp?
    public var maxBytes: DownloadEdit.Change<Int64>?
    public var maxAttempts: DownloadEdit.Change<Int>?
    public var labels: DownloadEdit.Change<JSONText>?
    public var metadata: DownloadEdit.Change<JSONText>?

    public init() {}
}
