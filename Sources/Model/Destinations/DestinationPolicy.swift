/// Which addresses a request may be sent to.
///
/// It judges the socket address at the moment of connecting. Names, numbers in URLs and answers of the resolver are
/// all turned into one of those, so nothing slips by in another spelling or by a changed answer.
public enum DestinationPolicy: Hashable, Sendable {
    /// Any address and any port.
    case any
    /// Addresses of the public internet, and those in the allowed blocks; ports by ``PortRules``.
    case publicOnly(allowances: [CIDR])

    /// The reason not to connect, or nil when the destination is allowed.
    ///
    /// - Parameter scheme: Decides which well-known port is in order.
    public func judge(
        _ address: IPAddress,
        port: UInt16,
        scheme: URLScheme,
        ports: PortRules = PortRules()
    ) -> DestinationRefusal? {
        switch self {
        case .any: return nil
        case .publicOnly(let allowances):
            if !ports.allows(port, scheme: scheme) { return .port }
            let outer = address.unmapped
            // A tunnel's own address does not tell where its packets end: the addresses inside are judged too.
            let addresses = [outer] + outer.embedded
            return addresses.allSatisfy { Self.isAllowed($0, allowances: allowances) } ? nil : .address
        }
    }

    /// The same as far as it can be said without an address.
    public func judge(port: UInt16, scheme: URLScheme, ports: PortRules = PortRules()) -> DestinationRefusal? {
        switch self {
        case .any: nil
        case .publicOnly: ports.allows(port, scheme: scheme) ? nil : .port
        }
    }

    /// The same of a host as a URL names it; nothing is looked up.
    public func judge(host: String, port: UInt16, scheme: URLScheme) -> DestinationRefusal? {
        IPAddress(urlHost: host).flatMap { judge($0, port: port, scheme: scheme) } ?? judge(port: port, scheme: scheme)
    }

    private static func isAllowed(_ address: IPAddress, allowances: [CIDR]) -> Bool {
        address.isPublic || allowances.contains { $0.contains(address) }
    }
}
