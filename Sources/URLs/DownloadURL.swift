/// A URL that the service requests: a source, a mirror or an endpoint. It is parsed and normalised once, by the library
/// that connects to it, and then passed on in this form.
///
/// It has no user information, which is stored with the download's credentials.
public struct DownloadURL: Hashable, Sendable {
    /// Scheme, host in lower case, port unless it is the scheme's default, path and query. There is no fragment.
    public let text: String
    public let scheme: String
    /// A name or a literal address, IPv6 in brackets; empty if the URL cannot be requested.
    public let host: String
    public let port: UInt16
    /// Percent-encoded, from the first slash, without the query.
    public let path: String

    public init(text: String, scheme: String, host: String, port: UInt16, path: String) {
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// A placeholder for a URL that has not been parsed yet.
    public static let blank = Self(normalized: "")

    /// Parses a stored text that was normalised before; its secret part may be encrypted. Splitting it is unambiguous,
    /// because it has no user information, and host and port are not encoded.
    ///
    /// Any other text becomes a URL with empty parts.
    public init(normalized text: String) {
        let parts = URLParts(text)
        guard let scheme = parts.scheme.flatMap({ URLScheme(rawValue: String($0)) }),
            !parts.path.isEmpty, let (host, port) = Self.hostAndPort(parts.authority, scheme)
        else {
            self.init(text: text, scheme: "", host: "", port: 0, path: "")
            return
        }
        self.init(text: text, scheme: scheme.rawValue, host: host, port: port, path: String(parts.path))
    }

    /// - Returns: nil if the authority is not that of a normalised URL.
    private static func hostAndPort(_ authority: Substring, _ scheme: URLScheme) -> (host: String, port: UInt16)? {
        let bytes = authority.utf8
        // An IPv6 address has its colons inside brackets.
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[bracket...].firstIndex(of: UInt8(ascii: ":"))
        let host = authority[..<(colon ?? authority.endIndex)]
        let port = colon.map { UInt16(authority[bytes.index(after: $0)...]) } ?? scheme.defaultPort
        guard let port, port > 0, !host.isEmpty, !host.utf8.contains(where: isForeign) else { return nil }
        guard (host.utf8.last == UInt8(ascii: "]")) == (host.utf8.first == UInt8(ascii: "[")) else { return nil }
        return (String(host), port)
    }

    /// Whether the byte is not allowed in a host, because it would begin or end another part.
    private static func isForeign(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "@?#\\".utf8.contains(byte)
    }

    /// A URL with an unsupported scheme: only text and scheme are set.
    public init(unsupported text: String) {
        self.init(text: text, scheme: String(text.prefix { $0 != ":" }), host: "", port: 0, path: "")
    }

    /// Whether the URL has all parts that a request needs.
    public var isComplete: Bool { !host.isEmpty && URLScheme(scheme) != nil }

    /// The scheme, if downloads support it.
    public var supportedScheme: URLScheme? { URLScheme(rawValue: scheme) }

    /// The key of the limits per host: `host:port`.
    public var authority: String { "\(host):\(port)" }

    /// Scheme, host and port (RFC 6454).
    public var origin: String { "\(scheme)://\(authority)" }

    /// The URL with only the fingerprint of an encrypted secret part.
    public var fingerprint: Self { with(text: SealedURL.fingerprint(text)) }

    /// The URL without an encrypted secret part.
    public var withoutSecret: Self { with(text: SealedURL.withoutSecret(text)) }

    /// Whether the secret part is encrypted.
    public var isSealed: Bool { SealedURL.parts(of: text) != nil }

    /// The same URL with its secret part encrypted or decrypted. The secret part belongs to none of the other parts.
    public func with(text: String) -> Self {
        guard text != self.text else { return self }
        let other = Self(normalized: text)
        return other.isComplete ? other : Self(text: text, scheme: scheme, host: host, port: port, path: path)
    }

    /// Whether `other` has the same origin: scheme, host and port (RFC 6454).
    public func isSameOrigin(as other: Self) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}
