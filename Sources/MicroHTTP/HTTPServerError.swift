/// Why a server could not start. Nothing listens and nothing is left open when one is thrown.
public enum HTTPServerError: Error, Hashable, Sendable {
    /// The text is no IPv4 or IPv6 literal. Names are not resolved.
    case invalidAddress(String)
    /// Another socket listens there (`EADDRINUSE`).
    case addressInUse(address: String, port: UInt16)
    /// This machine has no such address (`EADDRNOTAVAIL`).
    case addressNotAvailable(String)
    /// The port is reserved for privileged processes (`EACCES`).
    case permissionDenied(address: String, port: UInt16)
    /// The system refused a socket, a pipe or a thread; the number is an `errno`, or 0 where libmicrohttpd gave none.
    case cannotStart(errno: Int32)

    /// A stable word for logs and exit messages.
    public var code: String {
        switch self {
        case .invalidAddress: "invalid-address"
        case .addressInUse: "address-in-use"
        case .addressNotAvailable: "address-not-available"
        case .permissionDenied: "permission-denied"
        case .cannotStart: "cannot-start"
        }
    }
}

extension HTTPServerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidAddress(let address): "\(address) is not an IPv4 or IPv6 address"
        case .addressInUse(let address, let port): "\(address) port \(port) is in use"
        case .addressNotAvailable(let address): "\(address) is not an address of this machine"
        case .permissionDenied(let address, let port): "no permission to listen on \(address) port \(port)"
        case .cannotStart(let number): "the server cannot start (errno \(number))"
        }
    }
}
