// Checks the signature of a delivery (Standard Webhooks 1.0.0) with swift-crypto.

import Crypto
import Foundation

/// Whether a delivery was signed with the secret, at most five minutes ago.
///
/// - Parameters:
///   - body: The very bytes that came, before anything parses them.
///   - secret: As the service showed it: `whsec_…`.
func isSigned(body: Data, headers: (String) -> String?, secret: String, now: Date = Date()) -> Bool {
    let encoded = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
    guard let key = Data(base64Encoded: encoded).map(SymmetricKey.init(data:)),
        let id = headers("webhook-id"), let timestamp = headers("webhook-timestamp"),
        let seconds = Int64(timestamp), abs(now.timeIntervalSince1970 - Double(seconds)) <= 300
    else { return false }
    let signed = Data("\(id).\(timestamp).".utf8) + body
    // While a secret is rotated there are two signatures; one has to be right.
    return (headers("webhook-signature") ?? "").split(separator: " ").contains { entry in
        let parts = entry.split(separator: ",", maxSplits: 1)
        guard parts.count == 2, parts[0] == "v1", let code = Data(base64Encoded: String(parts[1])) else { return false }
        // Compares in constant time.
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key)
    }
}
