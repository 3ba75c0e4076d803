/// What a download says about the proxy that it is fetched through.
public enum ProxyChoice: Hashable, Sendable {
    /// None, whatever the service's settings say.
    case direct
    case server(ProxyServer)

    /// Reads `none` or a proxy; nil where it is neither.
    public init?(_ text: String) {
        if text == "none" {
            self = .direct
        } else {
            guard let server = ProxyServer(text) else { return nil }
            self = .server(server)
        }
    }

    /// As it was given; it may hold a password.
    public var text: String {
        switch self {
        case .direct: "none"
        case .server(let server): server.text
        }
    }

    /// As it may be shown.
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
