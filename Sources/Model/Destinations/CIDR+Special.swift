extension CIDR {
    /// IPv4 blocks that are not the public internet (IANA IPv4 Special-Purpose Address Registry, multicast and the
    /// reserved space), and the address at which a cloud's hosts find its agent.
    static let specialV4 = blocks([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    ])

    /// All of IPv6 that is handed out for public use; what lies outside is refused.
    static let globalUnicastV6 = blocks(["2000::/3"])

    /// Blocks within ``globalUnicastV6`` that are not public (IANA IPv6 Special-Purpose Address Registry): protocol
    /// assignments with Teredo among them, documentation, 6to4.
    static let specialV6 = blocks(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

    private static func blocks(_ texts: [String]) -> [CIDR] {
        texts.compactMap(CIDR.init)
    }
}
