/// Decides which addresses and ports requests may connect to.
///
/// It validates the socket address at the time of the connection. Host names, numeric hosts and resolver responses all
/// lead to a socket address, so neither another notation nor a changed DNS response can bypass it.
public enum DestinationPolicy: Hashable, Sendable {
    /// Any address and any port.
    case any
    /// Any address and any port that the client's URL names. A redirect or a Metalink of a public origin leads to no
    /// local address (``IPAddress/isLocal``) outside the allowed blocks.
    case clientChosen(allowances: [CIDR])
    /// Addresses of the public internet and of the allowed blocks, and the ports of ``PortRules``.
    case publicOnly(allowances: [CIDR])

    /// Returns why the connection is refused; nil if it is allowed.
    ///
    /// - Parameter scheme: Decides which well-known ports are allowed.
    public func validate(
        _ address: IPAddress,
        port: UInt16,
        scheme: URLScheme,
        ports: PortRules = PortRules()
    ) -> DestinationRefusal? {
        switch self {
        case .any, .clientChosen: return nil
        case .publicOnly(let allowances):
            if !ports.allows(port, scheme: scheme) { return .port }
            let outer = address.unmapped
            // The address of a tunnel does not tell where its packets go, so the embedded addresses are validated too.
            let addresses = [outer] + outer.embedded
            return addresses.allSatisfy { Self.isAllowed($0, allowances: allowances) } ? nil : .address
        }
    }

    /// Validates only the port, while the address is unknown.
    public func validate(port: UInt16, scheme: URLScheme, ports: PortRules = PortRules()) -> DestinationRefusal? {
        switch self {
        case .any, .clientChosen: nil
        case .publicOnly: ports.allows(port, scheme: scheme) ? nil : .port
        }
    }

    /// Validates port and literal address of a URL's host. Names are not resolved.
    public func validate(host: String, port: UInt16, scheme: URLScheme) -> DestinationRefusal? {
        IPAddress(urlHost: host).flatMap { validate($0, port: port, scheme: scheme) }
            ?? validate(port: port, scheme: scheme)
    }

    /// Whether a public origin may lead to an address, as far as ``validate(_:port:scheme:ports:)`` allows it. Private
    /// addresses are allowed: names of a local network and of a VPN resolve to them.
    public func allowsLead(to address: IPAddress) -> Bool {
        guard case .clientChosen(let allowances) = self, address.isLocal else { return true }
        return allowances.contains { $0.contains(address.unmapped) }
    }

    /// Whether only addresses of the public internet and of allowed blocks are allowed.
    public var isPublicOnly: Bool {
        if case .publicOnly = self { true } else { false }
    }

    private static func isAllowed(_ address: IPAddress, allowances: [CIDR]) -> Bool {
        address.isPublic || allowances.contains { $0.contains(address) }
    }
}

/// Why a destination is refused. It does not name the rule, because that would reveal the structure of the network.
public enum DestinationRefusal: String, CaseIterable, Sendable {
    case address
    case port
}
