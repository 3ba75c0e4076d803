/// A URL with an encrypted secret part, as stored in the database: the visible part, a space, and the encrypted part
/// (`https://host/path? 4ZqW…`).
///
/// A valid URL has no space (RFC 3986, section 2), so an encrypted one is recognisable and cannot be requested by
/// mistake. Equal URLs have equal encrypted texts, so they can be compared, and found through an index, without the
/// key.
public enum SealedURL {
    /// The part of a URL that may be a secret.
    public enum SecretPart: Sendable {
        /// The part after the first `?`: it may contain signatures and tokens.
        case query
        /// The part after the authority: URLs of webhooks may contain tokens in their paths too.
        case path
    }

    private static let separator = UInt8(ascii: " ")

    /// Splits an unencrypted URL before its secret part. Returns nil if it has none.
    public static func split(_ text: String, before part: SecretPart) -> (shown: Substring, secret: Substring)? {
        guard parts(of: text) == nil else { return nil }
        let found = URLParts(text)
        let start =
            switch part {
            case .query: found.queryStart
            case .path: found.scheme == nil ? text.endIndex : found.path.startIndex
            }
        guard start < found.fragmentStart else { return nil }
        let rest = text.utf8.index(after: start)
        return rest < text.endIndex ? (text[..<rest], text[rest...]) : nil
    }

    public static func join(shown: Substring, encrypted: String) -> String { "\(shown) \(encrypted)" }

    /// The visible and the encrypted part; nil if `text` is not encrypted.
    public static func parts(of text: String) -> (shown: Substring, encrypted: Substring)? {
        guard let space = text.utf8.firstIndex(of: separator) else { return nil }
        let shown = text[..<space]
        guard shown.hasSuffix("?") || shown.hasSuffix("/") else { return nil }
        return (shown, text[text.utf8.index(after: space)...])
    }

    /// Removes the encrypted part of a URL that is no longer needed. The secret cannot be recovered.
    public static func withoutSecret(_ text: String) -> String {
        parts(of: text).map { "\($0.shown)\(RedactedURL.replacement)" } ?? text
    }

    /// The length of the nonce in base64: 12 bytes, which depend only on the secret and the key.
    private static let fingerprintCount = 16

    /// Reduces the encrypted part to its nonce, which identifies the secret, for a URL that is only compared from now
    /// on. The secret cannot be recovered.
    public static func fingerprint(_ text: String) -> String {
        guard let (shown, encrypted) = parts(of: text) else { return text }
        return join(shown: shown, encrypted: String(encrypted.prefix(fingerprintCount)))
    }

    /// Whether a stored URL equals a given one. The stored URL may have only its fingerprint.
    public static func isSame(_ stored: DownloadURL, _ given: DownloadURL) -> Bool {
        stored.text == given.text || stored.text == fingerprint(given.text)
    }

    /// Whether the secret part of a URL was removed (``withoutSecret(_:)``, ``fingerprint(_:)``).
    public static func isDropped(_ url: DownloadURL) -> Bool {
        let text = url.text
        if let (_, encrypted) = parts(of: text) { return encrypted.utf8.count <= fingerprintCount }
        return text.hasSuffix("?\(RedactedURL.replacement)") || text.hasSuffix("/\(RedactedURL.replacement)")
    }
}
