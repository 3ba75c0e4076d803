public import Core
public import Curl

/// How deliveries, and requests for consent, are signed and sent.
public struct DeliverySettings: Sendable {
    /// The default secret, for webhooks without a secret of their own.
    public var secret: WebhookSecret
    public var userAgent: String
    /// The allowed destinations, except for the webhook of the settings.
    public var destinations = WebhookDestinations()
    /// Certificates to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// The time limit for a receiver's response.
    public var timeout = Duration.seconds(15)
    /// The time limit for in-flight deliveries when the service stops. Unfinished ones are sent again after the
    /// restart.
    public var gracePeriod = Duration.seconds(5)
    /// The delays after failed attempts.
    public var schedule = DeliverySchedule.standard
    /// What requests are sent over.
    public var network = Network.system

    public init(secret: WebhookSecret, userAgent: String) {
        self.secret = secret
        self.userAgent = userAgent
    }
}
