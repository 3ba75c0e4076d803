import HTTPFields

/// A scheme that downloads support.
public enum URLScheme: String, CaseIterable, Sendable {
    case http
    case https
    case ftp
    case ftps
    case sftp

    /// Parses a scheme in upper or lower case (RFC 3986, 3.1). Returns nil for any other scheme, such as `file`.
    public init?(_ text: String) {
        self.init(rawValue: String(decoding: text.utf8.map(\.lowercasedASCII), as: UTF8.self))
    }

    /// The schemes for redirects, and for the endpoints that the service calls.
    public static let web: Set<Self> = [.http, .https]
    public static let all = Set(allCases)

    /// All schemes as a list in a sentence: `http, https, … or sftp`.
    public static var listText: String {
        let names = allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + names.suffix(1).map { " or \($0)" }.joined()
    }

    /// The port of a URL without an explicit port.
    public var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        case .ftp: 21
        case .ftps: 990
        case .sftp: 22
        }
    }

    /// The ports below 1024 on which servers of this scheme usually listen.
    public var wellKnownPorts: Set<UInt16> {
        switch self {
        case .http, .https: [80, 443]
        case .ftp: [21]
        case .ftps: [21, 990]
        case .sftp: [22]
        }
    }
}
