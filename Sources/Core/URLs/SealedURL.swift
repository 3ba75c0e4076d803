/// A URL whose secret part is encrypted, as stored in the database: the visible part, a space, and the encrypted rest
/// (`https://host/path? 4ZqW…`).
///
/// No URL has a space (RFC 3986, section 2), so a sealed URL is recognisable, and cannot be connected to by mistake.
/// Equal URLs have equal sealed texts: they can be compared, and found by an index, without the key.
public enum SealedURL {
    /// The part of a URL that may be a secret.
    public enum SecretPart: Sendable {
        /// What follows the first `?`: signatures and tokens of URLs.
        case query
        /// What follows the authority: receivers of webhooks have tokens in their paths too.
        case path
    }

    private static let separator = UInt8(ascii: " ")

    /// Splits an open URL before its secret part; nil where it has none.
    public static func split(_ text: String, before part: SecretPart) -> (shown: Substring, secret: Substring)? {
        let start =
            switch part {
            case .query: text.utf8.firstIndex(of: UInt8(ascii: "?"))
            case .path: pathStart(of: text)
            }
        guard let start, parts(of: text) == nil else { return nil }
        let rest = text.utf8.index(after: start)
        return rest < text.endIndex ? (text[..<rest], text[rest...]) : nil
    }

    private static func pathStart(of text: String) -> String.Index? {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        return bytes[bytes.index(colon, offsetBy: 3)...].firstIndex(of: UInt8(ascii: "/"))
    }

    public static func join(shown: Substring, encrypted: String) -> String { "\(shown) \(encrypted)" }

    /// The two parts of a sealed URL; nil where `text` is an open one.
    public static func parts(of text: String) -> (shown: Substring, encrypted: Substring)? {
        guard let space = text.utf8.firstIndex(of: separator) else { return nil }
        let shown = text[..<space]
        guard shown.hasSuffix("?") || shown.hasSuffix("/") else { return nil }
        return (shown, text[text.utf8.index(after: space)...])
    }

    /// The remainder of a sealed URL that is no longer needed: nobody can decrypt it.
    public static func withoutSecret(_ text: String) -> String {
        parts(of: text).map { "\($0.shown)\(RedactedURL.replacement)" } ?? text
    }

    /// How much of the encrypted part is its nonce, in base64: 12 bytes, which depend on the secret and the key alone.
    private static let fingerprintCount = 16

    /// The remainder of a sealed URL that is no longer needed but still compared: its nonce, which identifies the
    /// secret. Nobody can decrypt it.
    public static func fingerprint(_ text: String) -> String {
        guard let (shown, encrypted) = parts(of: text) else { return text }
        return join(shown: shown, encrypted: String(encrypted.prefix(fingerprintCount)))
    }

    /// Whether a stored URL equals a given one. Of the stored one only the fingerprint may be left.
    public static func isSame(_ stored: DownloadURL, _ given: DownloadURL) -> Bool {
        stored.text == given.text || stored.text == fingerprint(given.text)
    }

    /// Whether the secret part of a URL was dropped (``withoutSecret(_:)``, ``fingerprint(_:)``).
    public static func isDropped(_ url: DownloadURL) -> Bool {
        let text = url.text
        if let (_, encrypted) = parts(of: text) { return encrypted.utf8.count <= fingerprintCount }
        return text.hasSuffix("?\(RedactedURL.replacement)") || text.hasSuffix("/\(RedactedURL.replacement)")
    }
}
