import Crypto
import FoundationEssentials

/// Verifies the signature of a delivery (Standard Webhooks 1.0.0).
struct WebhookSignature {
    private let key: SymmetricKey

    /// How far the timestamp may be from now. Standard Webhooks asks receivers for a tolerance against replays.
    static let tolerance: Double = 300

    /// Why a delivery is refused.
    enum Refusal: Error, Hashable {
        /// A field is missing: `webhook-id`, `webhook-timestamp` or `webhook-signature`.
        case missing(String)
        /// The timestamp is too old or too far ahead.
        case time
        /// No signature of the version `v1` matches.
        case signature
    }

    /// - Parameter secret: `whsec_` and base 64; nil if it is invalid.
    init?(secret: String) {
        guard secret.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(secret.dropFirst(6))) else {
            return nil
        }
        key = SymmetricKey(data: bytes)
    }

    /// - Parameters:
    ///   - field: The value of a header field, by its name in lower case.
    ///   - now: The time of the receipt, in seconds since 1970.
    func verify(_ body: [UInt8], now: Double, field: (String) -> String?) throws(Refusal) {
        guard let id = field("webhook-id") else { throw .missing("webhook-id") }
        guard let stamp = field("webhook-timestamp") else { throw .missing("webhook-timestamp") }
        guard let signatures = field("webhook-signature") else { throw .missing("webhook-signature") }
        guard let seconds = Double(stamp), abs(now - seconds) <= Self.tolerance else { throw .time }
        let content = Array("\(id).\(stamp).".utf8) + body
        let isKnown = signatures.split(separator: " ").contains { signature in
            guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: key)
        }
        guard isKnown else { throw .signature }
    }

    /// A new secret of 32 random bytes.
    static func makeSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return "whsec_" + Data(bytes).base64EncodedString()
    }
}
