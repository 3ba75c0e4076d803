import HTTPFields

/// A URL to download from, parsed and normalised once, by the library that will connect to it.
///
/// It has no user information: that is stored with the download's credentials.
public struct DownloadURL: Hashable, Sendable {
    /// Scheme, host in lower case, port where it is not the scheme's own, path and query; no fragment.
    public let text: String
    public let scheme: String
    /// A name or a literal address, IPv6 in brackets.
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

    /// The key of host limits: `host:port`.
    public var authority: String { "\(host):\(port)" }

    /// The same URL without its secret part, where that is sealed.
    public var fingerprint: Self {
        Self(text: SealedURL.fingerprint(text), scheme: scheme, host: host, port: port, path: path)
    }

    /// Whether `other` is the same origin (RFC 6454): scheme, host and port agree.
    public func isSameOrigin(as other: Self) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
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
