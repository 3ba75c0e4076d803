/// The encrypted signing secrets of a webhook.
public struct WebhookKeys: Hashable, Sendable {
    public var sealed: [UInt8]
    /// A fingerprint of the secret: the first characters of its digest.
    public var fingerprint: String
    /// The previous secret, which is valid until it expires.
    public var previous: Previous?

    public struct Previous: Hashable, Sendable {
        public let sealed: [UInt8]
        public let expiresAt: Timestamp

        public init(sealed: [UInt8], expiresAt: Timestamp) {
            self.sealed = sealed
            self.expiresAt = expiresAt
        }

        /// Whether it has not expired.
        public func isValid(at now: Timestamp) -> Bool { expiresAt.isAhead(of: now, within: longestGrace) }
    }

    public init(sealed: [UInt8], fingerprint: String, previous: Previous? = nil) {
        self.sealed = sealed
        self.fingerprint = fingerprint
        self.previous = previous
    }

    /// The encrypted secrets that are valid at `now`, the current one first.
    public func signing(at now: Timestamp) -> [[UInt8]] {
        guard let previous, previous.isValid(at: now) else { return [sealed] }
        return [sealed, previous.sealed]
    }

    /// The longest time for which the previous secret stays valid.
    public static let longestGrace = Duration.seconds(7 * 86_400)
}
