internal import CMicroHTTPD
internal import Glibc

/// What the limit for each address counts as one client: an IPv4 address, or the /64 of an IPv6 address, whose owner
/// has all addresses in it (RFC 4291 section 2.5.1).
struct AddressGroup: Hashable {
    private let prefix: UInt64
    private let isIPv6: Bool
    /// The address belongs to this machine.
    let isLoopback: Bool

    init(_ address: UnsafePointer<sockaddr>?) {
        switch address.map({ Int32($0.pointee.sa_family) }) {
        case AF_INET?:
            let number = UnsafeRawPointer(address)?.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr ?? 0
            prefix = UInt64(UInt32(bigEndian: number))
            isIPv6 = false
            isLoopback = prefix >> 24 == 127
        case AF_INET6?:
            let bytes = UnsafeRawPointer(address)?.loadUnaligned(as: sockaddr_in6.self).sin6_addr ?? in6_addr()
            let (high, low) = withUnsafeBytes(of: bytes) {
                ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            prefix = UInt64(bigEndian: high)
            isIPv6 = true
            isLoopback = high == 0 && UInt64(bigEndian: low) == 1
        default:
            (prefix, isIPv6, isLoopback) = (0, false, false)
        }
    }
}
