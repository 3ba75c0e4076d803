import HTTPFields

/// The operator's proxy, and the hosts for which it is not used.
public struct ProxyRules: Hashable, Sendable {
    /// nil for no proxy.
    public var server: ProxyServer?
    public var exceptions: [Exception]
    /// Whether a download may name its own proxy or bypass the operator's proxy.
    public var allowsClients: Bool

    /// Hosts that are connected to without a proxy.
    public enum Exception: Hashable, Sendable, CustomStringConvertible {
        case all
        /// The addresses of a block, for URLs with a literal address. Names are not resolved for this.
        case block(CIDR)
        /// This name and its subdomains, in lower case.
        case name(String)

        /// Parses `*`, an address, a block of addresses, or a name with an optional leading dot.
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

    /// How to connect to a host.
    public enum Route: Hashable, Sendable {
        case direct
        /// - `isClients`: whether a client named the proxy. It is then validated like any other destination.
        case proxy(ProxyServer, isClients: Bool)
    }

    /// - Parameters:
    ///   - host: The host as in a URL.
    ///   - choice: The download's own choice; nil for the operator's proxy.
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
