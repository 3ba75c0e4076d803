/// How a download proves to its origin who asks.
public enum OriginAuthentication: Hashable, Sendable {
    /// RFC 7617: sent at once, readable by whoever sees the request.
    case basic(username: String, password: String)
    /// RFC 7616: the origin asks first, and the password itself is never sent.
    case digest(username: String, password: String)
    /// RFC 6750.
    case bearer(token: String)

    /// The scheme's name, as a client may see it.
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
    /// Without what it holds, so that it comes into no log.
    public var description: String { "\(scheme.rawValue): REDACTED" }
}
