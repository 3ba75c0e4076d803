import HTTPFields

/// The operator's proxy, and the hosts that are reached without it.
public struct ProxyRules: Hashable, Sendable {
    /// Nil for none.
    public var server: ProxyServer?
    public var exceptions: [Exception]
    /// Whether a download may name a proxy of its own, or go without the operator's.
    public var allowsClients: Bool

    /// Hosts that are reached without a proxy.
    public enum Exception: Hashable, Sendable, CustomStringConvertible {
        case all
        /// Addresses, where a URL names one; names are not looked up for this.
        case block(CIDR)
        /// This name and all below it; in lower case.
        case name(String)

        /// Reads `*`, an address, a block of addresses or a name, which a dot may precede.
        public init?(_ text: String) {
            let name = String(text.drop { $0 == "." }).lowercased()
            if text == "*" {
                self = .all
            } else if let block = CIDR(text) {
                self = .block(block)
            } else if !name.isEmpty, name.utf8.allSatisfy({ $0.isTokenCharacter && $0 != UInt8(ascii: "*") }) {
                self = .name(name)
            } else {
                return nil
            }
        }

        public var description: String {
            switch self {
            case .all: "*"
            case .block(let block): block.description
            case .name(let name): name
            }
        }

        func matches(_ host: String) -> Bool {
            switch self {
            case .all: true
            case .block(let block): IPAddress(urlHost: host).map(block.contains) ?? false
            case .name(let name): host == name || host.hasSuffix(".\(name)")
            }
        }
    }

    public init(server: ProxyServer? = nil, exceptions: [Exception] = [], allowsClients: Bool = true) {
        self.server = server
        self.exceptions = exceptions
        self.allowsClients = allowsClients
    }

    /// How a host is reached.
    public enum Route: Hashable, Sendable {
        case direct
        /// - `isClients`: a client named it, so it is checked like every other destination.
        case proxy(ProxyServer, isClients: Bool)
    }

    /// - Parameters:
    ///   - host: As in a URL.
    ///   - choice: The download's own choice.
    public func route(to host: String, choice: ProxyChoice?) -> Route {
        switch choice {
        case .direct: return .direct
        case .server(let server): return .proxy(server, isClients: true)
        case nil: break
        }
        guard let server, !exceptions.contains(where: { $0.matches(host) }) else { return .direct }
        return .proxy(server, isClients: false)
    }
}

/// A download's choice of a proxy.
public enum ProxyChoice: Hashable, Sendable {
    /// No proxy, whatever the settings are.
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
