import HTTPFields

/// A URL of a request, parsed and normalised once, by the library that will connect to it, and carried from there: the
/// source of a file, one of its mirrors, or an endpoint that the service calls.
///
/// It has no user information: that is stored with the download's credentials.
public struct DownloadURL: Hashable, Sendable {
    /// Scheme, host in lower case, port where it is not the scheme's own, path and query; no fragment.
    public let text: String
    public let scheme: String
    /// A name or a literal address, IPv6 in brackets; empty where the URL cannot be asked.
    public let host: String
    public let port: UInt16
    /// Percent-encoded, from the first slash on, without the query.
    public let path: String

    public init(text: String, scheme: String, host: String, port: UInt16, path: String) {
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// In place of a URL that is yet to be read.
    public static let blank = Self(normalized: "")

    /// Takes a text that the parser normalised before, as it is stored; its secret part may be sealed. Such a text is
    /// split without doubt: it has no user information, and its host and port are plain.
    ///
    /// A text that has not this form is kept, as a URL without parts.
    public init(normalized text: String) {
        let parts = Parts(text) ?? Parts(scheme: "", host: "", port: 0, path: "")
        self.init(text: text, scheme: parts.scheme, host: parts.host, port: parts.port, path: parts.path)
    }

    /// A URL of a scheme that it must not have: nothing but the scheme is known.
    public init(unsupported text: String) {
        self.init(text: text, scheme: String(text.prefix { $0 != ":" }), host: "", port: 0, path: "")
    }

    /// Whether it has the parts that a request needs.
    public var isComplete: Bool { !host.isEmpty && URLScheme(scheme) != nil }

    /// The key of host limits: `host:port`.
    public var authority: String { "\(host):\(port)" }

    /// Scheme, host and port (RFC 6454).
    public var origin: String { "\(scheme)://\(authority)" }

    /// The same URL with only the fingerprint of its secret part, where that is sealed.
    public var fingerprint: Self { with(text: SealedURL.fingerprint(text)) }

    /// The same URL without its secret part, where that is sealed.
    public var withoutSecret: Self { with(text: SealedURL.withoutSecret(text)) }

    /// Whether its secret part is sealed.
    public var isSealed: Bool { SealedURL.parts(of: text) != nil }

    /// The same URL with its secret part sealed or opened. What is sealed is not among the parts.
    public func with(text: String) -> Self {
        guard text != self.text else { return self }
        let other = Self(normalized: text)
        return other.isComplete ? other : Self(text: text, scheme: scheme, host: host, port: port, path: path)
    }

    /// Whether `other` is the same origin (RFC 6454): scheme, host and port agree.
    public func isSameOrigin(as other: Self) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}

/// The parts of a normalised text.
private struct Parts {
    var scheme: String
    var host: String
    var port: UInt16
    var path: String

    init(scheme: String, host: String, port: UInt16, path: String) {
        (self.scheme, self.host, self.port, self.path) = (scheme, host, port, path)
    }

    init?(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            let scheme = URLScheme(rawValue: String(text[..<colon]))
        else { return nil }
        let rest = bytes[bytes.index(colon, offsetBy: 3)...]
        let pathStart = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let authority = rest[..<pathStart]
        // The colons of an IPv6 address stand in brackets.
        let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        let portColon = authority[bracket...].firstIndex(of: UInt8(ascii: ":"))
        let host = authority[..<(portColon ?? authority.endIndex)]
        let port = portColon.map { UInt16(text[bytes.index(after: $0)..<pathStart]) } ?? scheme.defaultPort
        guard let port, port > 0, !host.isEmpty, !host.contains(where: Self.isForeign) else { return nil }
        guard (host.last == UInt8(ascii: "]")) == (host.first == UInt8(ascii: "[")) else { return nil }
        let path = rest[pathStart...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: " ") }
        self.init(
            scheme: scheme.rawValue,
            host: String(decoding: host, as: UTF8.self),
            port: port,
            path: String(decoding: path, as: UTF8.self)
        )
    }

    /// What would begin another part, or end one.
    private static func isForeign(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "@?#\\".utf8.contains(byte)
    }
}

/// A URL as a client gave it, parsed once: the URL itself, and its user information, which is kept with the
/// credentials.
public struct GivenURL: Hashable, Sendable {
    public let url: DownloadURL
    public let user: String?
    public let password: String?

    public init(url: DownloadURL, user: String? = nil, password: String? = nil) {
        self.url = url
        self.user = user
        self.password = password
    }

    public var hasUser: Bool { user != nil || password != nil }
}

/// A scheme that downloads can use.
public enum URLScheme: String, CaseIterable, Sendable {
    case http
    case https
    case ftp
    case ftps
    case sftp

    /// Parses a scheme in either case (RFC 3986, 3.1); nil for every other one, as `file`.
    public init?(_ text: String) {
        self.init(rawValue: String(decoding: text.utf8.map(\.lowercasedASCII), as: UTF8.self))
    }

    /// Those that a response may be redirected by, and that endpoints of the service's own requests have.
    public static let web: Set<Self> = [.http, .https]
    public static let all = Set(allCases)

    /// The port of a URL that names none.
    var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        case .ftp: 21
        case .ftps: 990
        case .sftp: 22
        }
    }

    /// The ports below 1024 at which a server of this scheme is expected.
    var wellKnownPorts: Set<UInt16> {
        switch self {
        case .http, .https: [80, 443]
        case .ftp: [21]
        case .ftps: [21, 990]
        case .sftp: [22]
        }
    }
}
