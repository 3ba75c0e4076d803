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
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        grace = .seconds(reader.integer("grace_seconds", in: 0...Self.longestGrace, &list) ?? Self.usualGrace)
        secret = reader.secret(&list)
        isForced = reader.bool("force", &list) ?? false
        try reader.close(&list)
    }
}
