/// The address of a host, of either family.
public enum IPAddress: Hashable, Sendable {
    /// In host order: 127.0.0.1 is `0x7F000001`.
    case v4(UInt32)
    /// In host order: ::1 is `1`.
    case v6(UInt128)

    /// The address in network order, as a socket address holds it: 4 or 16 bytes. nil for any other number of them.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }

    /// The width of an address of this family in bits.
    var bitWidth: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }
}
