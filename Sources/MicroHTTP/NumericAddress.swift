internal import CMicroHTTPD
internal import Glibc

/// The literal of an IPv4 or IPv6 socket address, without its port; empty for any other.
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
