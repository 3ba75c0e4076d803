/// An IPv4 or IPv6 address without brackets, and a port; 0 for any free port.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    public var host: String
    public var port: UInt16

    public init(host: String = "127.0.0.1", port: UInt16) {
        self.host = host
        self.port = port
    }

    var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
