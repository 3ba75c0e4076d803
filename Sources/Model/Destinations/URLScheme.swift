/// A scheme that downloads can use.
public enum URLScheme: String, CaseIterable, Sendable {
    case http
    case https
    case ftp
    case ftps
    case sftp

    /// Reads a scheme, whose letters may be of either case (RFC 3986, 3.1); nil for every other one, as `file`.
    public init?(_ text: String) {
        self.init(rawValue: String(decoding: text.utf8.map(\.lowercasedASCII), as: UTF8.self))
    }

    /// Whether its servers hand out files by name, without what HTTP says of them (``FileGate``).
    public var isFile: Bool {
        switch self {
        case .http, .https: false
        case .ftp, .ftps, .sftp: true
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
