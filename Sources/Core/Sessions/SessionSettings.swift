/// The settings of a session, which clients can change.
public struct SessionSettings: Hashable, Sendable {
    /// The rate limit for its downloads together, in bytes per second; nil for no limit.
    public var rateBytesPerSecond: Int64?
    /// The maximum number of its downloads that run at the same time, at least 1; nil for no limit.
    public var maxConcurrent: Int?
    /// The quota of its downloads together in bytes, at least 1; nil for no limit.
    public var maxBytes: Int64?
    /// A text of the client about the session.
    public var description: String?
    /// The client's labels, as canonical JSON.
    public var labels: JSONText?
    /// How long the files of its downloads are kept, for new downloads without an own choice; nil for the setting.
    public var retention: FileRetention?
    /// The URL that receives `session.finished`.
    public var callbackURL: DownloadURL?
    /// The webhooks that receive the events of the session and of its downloads even if their session and label filters
    /// do not match, without duplicates.
    public var webhookIDs: [WebhookID]

    public init(
        rateBytesPerSecond: Int64? = nil,
        maxConcurrent: Int? = nil,
        maxBytes: Int64? = nil,
        description: String? = nil,
        labels: JSONText? = nil,
        callbackURL: DownloadURL? = nil,
        webhookIDs: [WebhookID] = []
    ) {
        self.rateBytesPerSecond = rateBytesPerSecond
        self.maxConcurrent = maxConcurrent
        self.maxBytes = maxBytes
        self.description = description
        self.labels = labels
        self.callbackURL = callbackURL
        self.webhookIDs = webhookIDs
    }
}
