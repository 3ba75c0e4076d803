/// How many connections there may be.
struct ConnectionLimits {
    /// Connections that are accepted beyond the limits, so that vital paths are answered.
    static let spare = 64
    /// Those that were shut down and that libmicrohttpd has not closed yet.
    private static let closing = 192

    let all: Int
    private let perAddress: Int?

    init(_ configuration: HTTPServer.Configuration) {
        all = max(1, configuration.maxConnections)
        perAddress = configuration.maxConnectionsPerAddress
    }

    /// What libmicrohttpd may have open. It stops accepting there, so that it never has to refuse.
    var total: UInt32 { UInt32(clamping: all + Self.spare + Self.closing) }

    func limit(of group: AddressGroup) -> Int? {
        if let perAddress { return max(1, perAddress) }
        return group.isLoopback ? nil : HTTPServer.Configuration.maxConnectionsPerRemoteAddress
    }
}
