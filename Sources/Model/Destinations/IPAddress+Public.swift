extension IPAddress {
    /// Whether the address itself belongs to the public internet. A mapped one is judged as what it stands for; what
    /// a tunnel's address leads to is not looked at.
    public var isPublic: Bool {
        switch unmapped {
        case .v4: !CIDR.specialV4.contains { $0.contains(unmapped) }
        case .v6: CIDR.globalUnicastV6.contains { $0.contains(self) } && !CIDR.specialV6.contains { $0.contains(self) }
        }
    }
}
