import CMicroHTTPD
import Glibc

/// The addresses that count as one client for the limit per address: a single IPv4 address, or an IPv6 /64, because one
/// owner usually has all its addresses (RFC 4291, section 2.5.1).
struct AddressGroup: Hashable {
    /// The third quarter of an IPv4-mapped IPv6 address.
    private static let mapped: UInt64 = 0xFFFF

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
            let lowNumber = UInt64(bigEndian: low)
            if high == 0, lowNumber >> 32 == Self.mapped {
                // An IPv4 client of a socket for both families (RFC 4291, section 2.5.5.2).
                prefix = lowNumber & 0xFFFF_FFFF
                isIPv6 = false
                isLoopback = prefix >> 24 == 127
            } else {
                prefix = UInt64(bigEndian: high)
                isIPv6 = true
                isLoopback = high == 0 && lowNumber == 1
            }
        default:
            (prefix, isIPv6, isLoopback) = (0, false, false)
        }
    }
}

/// The text of an IPv4 or IPv6 address without its port; empty for another address family. An IPv4-mapped address is
/// shown as IPv4.
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
        let shown = text.map { String(cString: $0) } ?? ""
        // An IPv4 client of a socket for both families has one name on every socket.
        return shown.hasPrefix("::ffff:") && shown.utf8.contains(UInt8(ascii: ".")) ? String(shown.dropFirst(7)) : shown
    }
}
