/// The totals of a webhook's attempts.
public struct WebhookRecord: Hashable, Sendable {
    public var succeeded: Int64
    public var failed: Int64
    public var lastSuccessAt: Timestamp?
    public var lastFailureAt: Timestamp?
    public var health: WebhookHealth

    public init(
        succeeded: Int64 = 0,
        failed: Int64 = 0,
        lastSuccessAt: Timestamp? = nil,
        lastFailureAt: Timestamp? = nil,
        health: WebhookHealth = WebhookHealth()
    ) {
        self.succeeded = succeeded
        self.failed = failed
        self.lastSuccessAt = lastSuccessAt
        self.lastFailureAt = lastFailureAt
        self.health = health
    }
}
