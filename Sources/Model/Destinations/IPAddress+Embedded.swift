extension IPAddress {
    /// The address that packets are in truth sent to: an IPv4-mapped address (`::ffff:0:0/96`, RFC 4291, 2.5.5.2) is
    /// another way to write an IPv4 one, and the kernel treats it so.
    public var unmapped: IPAddress {
        guard case .v6(let value) = self, value >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: value))
    }

    /// The IPv4 addresses that a gateway or tunnel takes out of this one and sends to.
    ///
    /// Those of IPv4-compatible addresses (::/96), NAT64 (64:ff9b::/96, RFC 6052), 6to4 (2002::/16, RFC 3056) and
    /// Teredo (2001::/32, RFC 4380: the server, and the client in inverted bits).
    var embedded: [IPAddress] {
        guard case .v6(let value) = self else { return [] }
        let low = UInt32(truncatingIfNeeded: value)
        if Self.nat64.contains(self) { return [.v4(low)] }
        if Self.sixToFour.contains(self) { return [.v4(UInt32(truncatingIfNeeded: value >> 80))] }
        if Self.teredo.contains(self) { return [.v4(UInt32(truncatingIfNeeded: value >> 64)), .v4(~low)] }
        // :: and ::1 lie in the block, but have nothing inside.
        return value >> 32 == 0 && value > 1 ? [.v4(low)] : []
    }

    private static let nat64 = CIDR(.v6(0x0064_ff9b << 96), prefixLength: 96)
    private static let sixToFour = CIDR(.v6(0x2002 << 112), prefixLength: 16)
    private static let teredo = CIDR(.v6(0x2001_0000 << 96), prefixLength: 32)
}
