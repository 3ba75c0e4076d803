public import FoundationEssentials

/// What a `PATCH` changes of a session. Properties that are nil stay as they are.
public struct SessionPatch: Hashable, Sendable, Encodable {
    public struct Limits: Hashable, Sendable, Encodable {
        public var rateBytesPerSecond: Change<Int64>?
        public var maxConcurrent: Change<Int>?
        public var maxBytes: Change<Int64>?

        public init() {}
    }

    /// `pause`, `resume` or `cancel`, for all its downloads.
    public var action: String?
    /// Whether `cancel` keeps the bytes.
    public var keepPartial: Bool?
    public var sealed: Bool?
    public var limits: Limits?
    public var description: Change<String>?
    public var labels: [String: Change<String>]?
    public var callbackURL: Change<String>?
    public var webhookIDs: Change<[String]>?
    public var expiresAt: Change<Date>?
    public var keepFileSeconds: Change<FileRetention>?
    public var expectedRevision: Int64?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case action, keepPartial, sealed, limits, description, labels, callbackURL, expiresAt, keepFileSeconds
        case expectedRevision
        case webhookIDs = "webhookIds"
    }

    public init() {}
}
