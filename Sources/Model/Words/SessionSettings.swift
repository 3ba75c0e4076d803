/// What clients may say of a session.
public struct SessionSettings: Hashable, Sendable {
    /// The most that its downloads take together, in bytes per second; nil for no limit.
    public var rateBytesPerSecond: Int64?
    /// How many of its downloads run at once, at least 1; nil for no limit.
    public var maxConcurrent: Int?
    /// How many bytes its downloads hold together, at least 1; nil for no limit.
    public var maxBytes: Int64?
    /// The client's own names for it.
    public var labels: JSONText?
    /// Who is told when it has finished; as ``SourceURL/text``.
    public var callbackURL: String?
    /// The webhooks that receive its events, and those of its downloads, whatever their filters say of sessions and
    /// labels; each once.
    public var webhookIDs: [WebhookID]

    public init(
        rateBytesPerSecond: Int64? = nil,
        maxConcurrent: Int? = nil,
        maxBytes: Int64? = nil,
        labels: JSONText? = nil,
        callbackURL: String? = nil,
        webhookIDs: [WebhookID] = []
    ) {
        self.rateBytesPerSecond = rateBytesPerSecond
        self.maxConcurrent = maxConcurrent
        self.maxBytes = maxBytes
        self.labels = labels
        self.callbackURL = callbackURL
        self.webhookIDs = webhookIDs
    }
}
