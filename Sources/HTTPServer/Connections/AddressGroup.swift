import CMicroHTTPD
import Glibc

/// The addresses that count as one client for the limit per address: a single IPv4 address, or an IPv6 /64, because one
/// owner usually has all its addresses (RFC 4291, section 2.5.1).
struct AddressGroup: Hashable {
    private let prefix: UInt64
    private let isIPv6: Bool
    /// Whether the address is a loopback address.
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

/// The text of an IPv4 or IPv6 address without its port; empty for another address family.
func numericAddress(_ address: UnsafePointer<sockaddr>?) -> String {
    guard let address else { return "" }
    let raw = UnsafeRawPointer(address)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
        let length = socklen_t(buffer.count)
        let text: UnsafePointer<CChar>?
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            var host = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            text = inet_ntop(AF_INET, &host, buffer.baseAddress, length)
        case AF_INET6:
            var host = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            text = inet_ntop(AF_INET6, &host, buffer.baseAddress, length)
        default:
            text = nil
        }
        return text.map { String(cString: $0) } ?? ""
    }
}
