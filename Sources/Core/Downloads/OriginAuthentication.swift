import HTTPFields

/// How a download authenticates to its origin.
public enum OriginAuthentication: Hashable, Sendable {
    /// RFC 7617. Sent with the first request, not encrypted by itself.
    case basic(username: String, password: String)
    /// RFC 7616. Sent after a challenge; the password itself is never sent.
    case digest(username: String, password: String)
    /// RFC 6750.
    case bearer(token: String)

    /// The name of the scheme, which may be shown.
    public enum Scheme: String, CaseIterable, Hashable, Sendable {
        case basic, digest, bearer
    }

    public var scheme: Scheme {
        switch self {
        case .basic: .basic
        case .digest: .digest
        case .bearer: .bearer
        }
    }
}

extension OriginAuthentication: CustomStringConvertible {
    /// The scheme without its secrets, so that they are never logged.
    public var description: String { "\(scheme.rawValue): REDACTED" }
}
