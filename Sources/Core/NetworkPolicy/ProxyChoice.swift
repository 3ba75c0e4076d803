import HTTPFields

/// A download's choice of proxy.
public enum ProxyChoice: Hashable, Sendable {
    /// No proxy, regardless of the settings.
    case direct
    case server(ProxyServer)

    /// Parses `none` or the URL of a proxy. Returns nil for anything else.
    public init?(_ text: String) {
        if text == "none" {
            self = .direct
        } else {
            guard let server = ProxyServer(text) else { return nil }
            self = .server(server)
        }
    }

    /// The text as the client gave it. It may contain a password.
    public var text: String {
        switch self {
        case .direct: "none"
        case .server(let server): server.text
        }
    }

    /// The text without user name and password.
    public var shown: String {
        switch self {
        case .direct: "none"
        case .server(let server): server.shown
        }
    }
}

extension ProxyChoice: CustomStringConvertible {
    public var description: String { shown }
}
