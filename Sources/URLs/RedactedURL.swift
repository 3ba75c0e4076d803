/// A URL that may be shown and logged: without user information, fragment and query. An encrypted secret part
/// (``SealedURL``) is removed too.
public struct RedactedURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// The text that replaces a secret.
    public static let replacement = "REDACTED"

    public var description: String { text }

    public init(_ url: DownloadURL, hiding part: SealedURL.SecretPart = .query) {
        self.init(url.text, hiding: part)
    }

    /// Redacts any text that may be a URL, even if it is invalid.
    ///
    /// - Parameter part: The secret part. With `.path`, only scheme and authority remain.
    public init(_ url: String, hiding part: SealedURL.SecretPart = .query) {
        if let sealed = SealedURL.parts(of: url) {
            text = "\(sealed.shown)\(Self.replacement)"
            return
        }
        let parts = URLParts(url)
        let open = Self.withoutUserInfo(url, parts) + url[parts.queryStart..<parts.fragmentStart]
        text = SealedURL.split(open, before: part).map { "\($0.shown)\(Self.replacement)" } ?? open
    }

    /// Redacts only the values of query parameters whose names indicate a secret.
    ///
    /// This form is for the server that issued the URL: it needs the other parameters to identify the URL.
    public init(secretMembersOf url: String) {
        let parts = URLParts(url)
        var result = Array(Self.withoutUserInfo(url, parts).utf8)
        if parts.queryStart < parts.fragmentStart {
            result.append(UInt8(ascii: "?"))
            Self.appendQuery(Array(url.utf8[parts.queryStart..<parts.fragmentStart].dropFirst())[...], to: &result)
        }
        text = String(decoding: result, as: UTF8.self)
    }

    /// The text up to the query without the user information, which ends at the last `@` of the authority.
    private static func withoutUserInfo(_ url: String, _ parts: URLParts) -> String {
        guard let at = parts.authority.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return String(url[..<parts.queryStart])
        }
        return String(url[..<parts.authority.startIndex] + url[url.utf8.index(after: at)..<parts.queryStart])
    }

    /// Both `&` and `;` count as separators of parameters, because servers differ.
    private static func appendQuery(_ query: ArraySlice<UInt8>, to result: inout [UInt8]) {
        var start = query.startIndex
        while start <= query.endIndex {
            let end =
                query[start...].firstIndex { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") } ?? query.endIndex
            let equals = query[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
            if equals < end, SecretNames.contains(query[start..<equals]) {
                result.append(contentsOf: query[start...equals])
                result.append(contentsOf: replacement.utf8)
            } else {
                result.append(contentsOf: query[start..<end])
            }
            guard end < query.endIndex else { return }
            result.append(query[end])
            start = end + 1
        }
    }
}

/// The names of query parameters that contain a secret: signatures of presigned URLs, tokens, passwords.
enum SecretNames {
    /// Names that must match completely.
    private static let whole: [[UInt8]] = [
        "code", "hash", "hdnea", "hdnts", "hmac", "jwt", "key", "key-pair-id", "md5", "otp", "pass", "policy", "pwd",
        "sas",
        "session", "sid", "sig", "st", "ticket",
    ].map { Array($0.utf8) }

    /// Substrings that make any name secret, as in `X-Amz-Signature` and `access_token`.
    private static let parts: [[UInt8]] = [
        "accesskey", "access-key", "access_key", "api-key", "api_key", "apikey", "auth", "credential", "passwd",
        "password",
        "private", "secret", "session-id", "session_id", "sessionid", "signature", "token",
    ].map { Array($0.utf8) }

    /// Whether the name of a parameter, possibly percent-encoded, indicates a secret. It compares bytes instead of
    /// characters because it runs for each URL that is shown.
    static func contains(_ name: some Collection<UInt8>) -> Bool {
        let name = decoded(name).map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
        return whole.contains(name) || parts.contains { isPart($0, of: name) }
    }

    private static func isPart(_ part: [UInt8], of name: [UInt8]) -> Bool {
        guard let first = part.first, name.count >= part.count else { return false }
        return (0...(name.count - part.count)).contains { start in
            name[start] == first && name[start...].starts(with: part)
        }
    }

    private static func decoded(_ name: some Collection<UInt8>) -> [UInt8] {
        guard name.contains(UInt8(ascii: "%")) else { return Array(name) }
        var result: [UInt8] = []
        var rest = Array(name)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                result.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
