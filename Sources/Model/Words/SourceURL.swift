/// A URL to download from, parsed and normalised once, by the library that will connect to it.
///
/// It carries no user information: that is kept with the download's credentials.
public struct SourceURL: Hashable, Sendable {
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

    /// Whether it is of a server of files: FTP or SFTP.
    public var isFile: Bool { URLScheme(scheme)?.isFile ?? false }

    /// What limits and politeness are counted by: `host:port`.
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
