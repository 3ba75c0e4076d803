public import Core
import HTTPFields
import Store

/// What a caller asks for when it makes a download. Its URL is text as it came, to be judged.
public struct DownloadDraft: Sendable {
    public var url: String
    /// As they came, too.
    public var mirrors: [String] = []
    public var metalink = MetalinkMode.follow
    /// As it came.
    public var refreshURL: String?
    public var directory: RelativeDirectory?
    public var filename: FileName?
    public var onConflict = ConflictPolicy.rename
    public var session: SessionName?
    public var requestHeaders: [RequestCredentials.Header] = []
    public var authentication: OriginAuthentication?
    public var cookies: [RequestCredentials.Cookie] = []
    /// The body of a POST, at most ``maximumBodyBytes``; nil asks by GET.
    public var postBody: [UInt8]?
    public var proxy: ProxyChoice?
    public var expected = Expected()
    public var maxBytes: Int64?
    public var rateBytesPerSecond: Int64?
    public var connections: Int?
    public var maxAttempts: Int?
    public var deadlineAt: Timestamp?
    public var priority = Priority.ordinary
    public var notBefore: Timestamp?
    /// False lets it begin paused.
    public var starts = true
    public var description: String?
    public var labels: JSONText?
    public var metadata: JSONText?
    public var dedupeKey: String?
    public var acceptsUnverifiedLength = false
    /// As it came.
    public var callbackURL: String?
    /// Whether there are such is judged when it is recorded.
    public var webhookIDs: [WebhookID] = []

    /// The most bytes that the body of a POST to an origin has.
    public static let maximumBodyBytes = RequestFieldRules.maximumBodyBytes

    public init(url: String) {
        self.url = url
    }
}

/// What a caller wants changed; a member that is nil stays as it is.
///
/// What is changed in part is given as a function of what is there.
public struct DownloadChange: Sendable {
    /// The header fields after the change, made from those before.
    public typealias HeadersTransform = @Sendable ([RequestCredentials.Header]) -> [RequestCredentials.Header]
    /// The cookies after the change, made from those before.
    public typealias CookiesTransform = @Sendable ([RequestCredentials.Cookie]) -> [RequestCredentials.Cookie]
    /// A POST's body after the change, nil for a GET, made from the one before.
    public typealias PostTransform = @Sendable ([UInt8]?) throws(ServiceError) -> [UInt8]?
    /// What becomes of an object of the client's own; nil is an empty one.
    public typealias ObjectTransform = @Sendable (JSONText?) throws(ServiceError) -> DownloadEdit.Change<JSONText>

    public var action: DownloadAction?
    /// For `cancel`: leaves the bytes for a later retry.
    public var keepsPartial = false
    /// Refuses where state or configuration changed since the client looked.
    public var expectedRevision: Int64?
    public var url: String?
    public var mirrors: [String]?
    public var refreshURL: DownloadEdit.Change<String>?
    public var requestHeaders: HeadersTransform?
    public var authentication: DownloadEdit.Change<OriginAuthentication>?
    public var cookies: CookiesTransform?
    public var post: PostTransform?
    public var proxy: DownloadEdit.Change<ProxyChoice>?
    public var deadlineAt: Timestamp?
    public var maxBytes: DownloadEdit.Change<Int64>?
    public var rateBytesPerSecond: DownloadEdit.Change<Int64>?
    public var connections: DownloadEdit.Change<Int>?
    public var maxAttempts: DownloadEdit.Change<Int>?
    public var priority: Priority?
    public var notBefore: DownloadEdit.Change<Timestamp>?
    public var description: DownloadEdit.Change<String>?
    public var labels: ObjectTransform?
    public var metadata: ObjectTransform?

    public init() {}
}

/// A download that was judged by what its request says, and is ready to be recorded.
public struct PreparedDownload: Sendable {
    let new: NewDownload
}
