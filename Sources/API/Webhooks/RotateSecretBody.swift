import Core

/// The body of `POST /webhooks/{id}/rotate-secret`. Without a body, the defaults apply.
public struct RotateSecretBody: Hashable, Sendable {
    /// How long the previous secret signs too.
    public var grace: Duration
    /// The new secret; nil to generate one.
    public var secret: String?
    /// Whether to discard the previous secret even if it has not expired.
    public var isForced: Bool

    static let usualGrace: Int64 = 86_400
    static let longestGrace: Int64 = 7 * 86_400

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        grace = .seconds(reader.integer("grace_seconds", in: 0...Self.longestGrace) ?? Self.usualGrace)
        secret = reader.string("secret")
        isForced = reader.bool("force") ?? false
        try reader.close()
    }
}
