import HTTPFields

/// A block of IP addresses: `10.0.0.0/8`, `fd00::/8` (RFC 4632).
public struct CIDR: Hashable, Sendable, CustomStringConvertible {
    public let address: IPAddress
    /// The number of leading bits that all addresses of the block have in common.
    public let prefixLength: Int

    /// Parses a block or a single address. Bits after the prefix must be zero, because `10.1.2.3/8` is probably a
    /// mistake.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefixLength: address.bitWidth)
            return
        }
        let digits = parts[1].utf8
        guard (1...3).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
            digits.count == 1 || digits.first != 0x30
        else { return nil }
        guard let length = Int(parts[1]), length <= address.bitWidth else { return nil }
        let block = CIDR(address, prefixLength: length)
        guard block.masked(address) == address else { return nil }
        self = block
    }

    init(_ address: IPAddress, prefixLength: Int) {
        self.address = address
        self.prefixLength = prefixLength
    }

    /// Whether the block contains the address. The families must be equal.
    public func contains(_ other: IPAddress) -> Bool {
        address.bitWidth == other.bitWidth && masked(other) == masked(address)
    }

    public var description: String { "\(address)/\(prefixLength)" }

    /// The address with the bits after the prefix set to zero. `<<` by the whole width gives zero.
    private func masked(_ address: IPAddress) -> IPAddress {
        switch address {
        case .v4(let value): .v4(value & (UInt32.max << (32 - prefixLength)))
        case .v6(let value): .v6(value & (UInt128.max << (128 - prefixLength)))
        }
    }
}

extension CIDR {
    /// IPv4 blocks outside the public internet (IANA IPv4 Special-Purpose Address Registry, multicast and reserved
    /// addresses), and the address of a cloud provider's host agent.
    static let specialV4 = blocks([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    ])

    /// This machine and its links: unspecified, loopback and link-local addresses (RFC 6890), where the metadata of
    /// clouds is, and the address of a cloud provider's host agent.
    static let local = blocks([
        "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "168.63.129.16/32", "::/128", "::1/128", "fe80::/10",
    ])

    /// The IPv6 block for public addresses. Addresses outside are refused.
    static let globalUnicastV6 = blocks(["2000::/3"])

    /// Blocks in ``globalUnicastV6`` that are not public (IANA IPv6 Special-Purpose Address Registry): protocol
    /// assignments, including Teredo; documentation; 6to4.
    static let specialV6 = blocks(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

    private static func blocks(_ texts: [String]) -> [CIDR] {
        texts.compactMap(CIDR.init)
    }
}
