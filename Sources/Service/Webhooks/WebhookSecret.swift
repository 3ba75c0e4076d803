import Crypto
import FoundationEssentials

/// The key that signs deliveries, in the format of Standard Webhooks 1.0.0: `whsec_` and the base64 of 24 to 64 bytes.
public struct WebhookSecret: Sendable {
    private let key: SymmetricKey

    /// Parses a secret, with or without its prefix; nil if it is invalid.
    public init?(_ text: String) {
        let encoded = text.hasPrefix(Self.prefix) ? String(text.dropFirst(Self.prefix.count)) : text
        guard let bytes = Data(base64Encoded: encoded), (24...64).contains(bytes.count) else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// The text of a secret.
    ///
    /// - Parameter bytes: 24 to 64 random bytes.
    public static func text(of bytes: [UInt8]) -> String {
        prefix + Data(bytes).base64EncodedString()
    }

    /// Generates a secret of 32 random bytes.
    public static func random() -> (secret: Self, text: String) {
        let key = SymmetricKey(size: .bits256)
        return (Self(key: key), text(of: unsafe key.withUnsafeBytes { unsafe Array($0) }))
    }

    private init(key: SymmetricKey) {
        self.key = key
    }

    /// Identifies the secret without revealing it: the first 8 hexadecimal digits of the SHA-256 of its bytes.
    public var fingerprint: String {
        let digest = unsafe key.withUnsafeBytes { unsafe Array(SHA256.hash(data: $0)) }
        return digest.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The value of `webhook-signature` for a body: signs its id, the time of the attempt and its bytes together.
    ///
    /// - Parameter timestamp: The time of this attempt in whole seconds since the epoch.
    public func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        var authentication = HMAC<SHA256>(key: key)
        authentication.update(data: Array("\(id).\(timestamp).".utf8))
        authentication.update(data: body)
        return "v1," + Data(authentication.finalize()).base64EncodedString()
    }

    /// The names and values of the header fields that sign a request.
    ///
    /// - Parameter timestamp: The time of this attempt in whole seconds since the epoch.
    public func fields(id: String, timestamp: Int64, body: [UInt8]) -> [(name: String, value: String)] {
        Self.fields([self], id: id, timestamp: timestamp, body: body)
    }

    /// The header fields that sign a request with several secrets. The receiver may know any of them.
    static func fields(
        _ secrets: [Self],
        id: String,
        timestamp: Int64,
        body: [UInt8]
    ) -> [(name: String, value: String)] {
        let signatures = secrets.map { $0.signature(id: id, timestamp: timestamp, body: body) }
        return [
            ("webhook-id", id),
            ("webhook-timestamp", "\(timestamp)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }

    private static let prefix = "whsec_"
}
