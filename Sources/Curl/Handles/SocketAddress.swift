import Glibc

/// An IP address and a port in binary form. Each address has exactly one representation.
public struct SocketAddress: Hashable, Sendable {
    public enum Family: Hashable, Sendable {
        case ipv4
        case ipv6
    }

    public let family: Family
    /// The address in network byte order: 4 bytes, or 16. An IPv4-mapped IPv6 address has 16.
    public let bytes: [UInt8]
    public let port: UInt16

    /// Parses a numeric IPv4 or IPv6 address; nil for any other text.
    public init?(_ text: String, port: UInt16) {
        // libcurl appends the interface to a link-local address: "fe80::1%eth0".
        let numbers = text.prefix { $0 != "%" }
        if let bytes = Self.parse(String(numbers), AF_INET, count: 4) {
            self.init(family: .ipv4, bytes: bytes, port: port)
        } else if let bytes = Self.parse(String(numbers), AF_INET6, count: 16) {
            self.init(family: .ipv6, bytes: bytes, port: port)
        } else {
            return nil
        }
    }

    /// Reads a `sockaddr` of `length` bytes; nil for another address family.
    init?(_ address: UnsafeRawPointer, length: Int) {
        guard length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let value = address.loadUnaligned(as: sockaddr_in.self)
            let bytes = withUnsafeBytes(of: value.sin_addr) { Array($0) }
            self.init(family: .ipv4, bytes: bytes, port: UInt16(bigEndian: value.sin_port))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let value = address.loadUnaligned(as: sockaddr_in6.self)
            let bytes = withUnsafeBytes(of: value.sin6_addr) { Array($0) }
            self.init(family: .ipv6, bytes: bytes, port: UInt16(bigEndian: value.sin6_port))
        default:
            return nil
        }
    }

    private init(family: Family, bytes: [UInt8], port: UInt16) {
        self.family = family
        self.bytes = bytes
        self.port = port
    }

    private static func parse(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address without its port, in its canonical form (RFC 5952).
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    }

    public var description: String {
        family == .ipv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
    }
}
