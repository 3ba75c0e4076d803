/// A client's changes to a session, and an action on its downloads (RFC 7396). A nil member means no change. Labels are
/// merged by name.
public struct SessionPatch: Sendable {
    public typealias Change = DownloadEdit.Change

    public var action: SessionAction?
    /// For `cancel`: keeps the bytes for later retries.
    public var keepsPartial = false
    /// True seals the session. False is refused for a sealed session, because its last event may have announced that no
    /// download follows.
    public var isSealed: Bool?
    public var rateBytesPerSecond: Change<Int64>?
    public var maxConcurrent: Change<Int>?
    public var maxBytes: Change<Int64>?
    public var retention = RetentionChanges()
    public var description: Change<String>?
    public var labels: ObjectPatch?
    /// Not encrypted.
    public var callbackURL: Change<DownloadURL>?
    public var webhookIDs: Change<[WebhookID]>?
    public var expectedRevision: Int64?

    public init() {}

    /// The settings after the patch.
    ///
    /// - Throws: If the labels exceed their limits.
    public func applied(to current: SessionSettings) throws(Violations) -> SessionSettings {
        var settings = current
        if let rateBytesPerSecond { settings.rateBytesPerSecond = rateBytesPerSecond.value }
        if let maxConcurrent { settings.maxConcurrent = maxConcurrent.value }
        if let maxBytes { settings.maxBytes = maxBytes.value }
        settings.retention = retention.applied(to: current.retention)
        if let description { settings.description = description.value }
        if let labels { settings.labels = try labels.applied(to: current.labels).value }
        if let callbackURL { settings.callbackURL = callbackURL.value }
        if let webhookIDs { settings.webhookIDs = webhookIDs.value ?? [] }
        return settings
    }
}
