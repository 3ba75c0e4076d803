import Core

/// An address and port to listen on.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    let address: IPAddress
    public let port: UInt16

    static let standard = ListenAddress(address: loopback, port: 8080)

    private static let loopback = IPAddress.v4(0x7F00_0001)
    private static let anyIPv4 = IPAddress.v4(0)

    init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `:8080` for every IPv4 address, or `8080` for loopback,
    /// so that a port alone is not reachable from the network. Other names are not resolved.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else {
            guard let port = Self.port(text) else { return nil }
            self.init(address: Self.loopback, port: port)
            return
        }
        guard let port = Self.port(text[text.index(after: colon)...]), let address = Self.host(text[..<colon]) else {
            return nil
        }
        self.init(address: address, port: port)
    }

    /// The address as text, without a port and without brackets.
    public var host: String { address.description }

    /// Whether only this machine can reach it: 127.0.0.0/8 or ::1 (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3).
    var isLoopback: Bool {
        switch address.unmapped {
        case .v4(let value): value >> 24 == 127
        case .v6(let value): value == 1
        }
    }

    /// The address for clients on this machine: loopback if this listens on every address.
    public var reachable: ListenAddress {
        switch address {
        case .v4(0): ListenAddress(address: Self.loopback, port: port)
        case .v6(0): ListenAddress(address: .v6(1), port: port)
        case .v4, .v6: self
        }
    }

    public var description: String {
        switch address {
        case .v4: "\(address):\(port)"
        case .v6: "[\(address)]:\(port)"
        }
    }

    private static func port(_ text: some StringProtocol) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(text)
    }

    private static func host(_ text: Substring) -> IPAddress? {
        if text.isEmpty { return anyIPv4 }
        if text == "localhost" { return loopback }
        guard text.first == "[" else {
            guard case .v4(let value) = IPAddress(String(text)) else { return nil }
            return .v4(value)
        }
        guard text.last == "]", case .v6(let value) = IPAddress(String(text.dropFirst().dropLast())) else { return nil }
        return .v6(value)
    }
}
