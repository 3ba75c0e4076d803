public import Core
public import Curl
import Linux
import Synchronization

/// Finds out whether a name that libcurl could not resolve does not exist: libcurl has one code for that and for a
/// resolver that is out of order (libcurl-errors(3)).
final class HostNameCheck: Sendable {
    /// The answer of the resolver.
    enum Outcome: Sendable {
        case unknown
        /// It exists, or the resolver cannot tell.
        case other
        /// Too many look-ups were in progress. Then forbidden and unknown names look alike, too.
        case notChecked
    }

    private let pool = BlockingPool(threads: limit, name: "names")
    private let count = Atomic<Int>(0)
    private let isUnknown: @Sendable (String) -> Bool

    /// While a resolver fails, each look-up takes long. No caller waits for those of others.
    static let limit = 4

    /// - Parameter isUnknown: Asks the resolver, and may block.
    init(isUnknown: @escaping @Sendable (String) -> Bool = { HostName.isUnknown($0) }) {
        self.isUnknown = isUnknown
    }

    func check(_ host: String) async -> Outcome {
        let checks = count.wrappingAdd(1, ordering: .relaxed).newValue
        defer { count.wrappingSubtract(1, ordering: .relaxed) }
        guard checks <= Self.limit else { return .notChecked }
        return await pool.run { [isUnknown] in isUnknown(host) } ? .unknown : .other
    }
}

extension DestinationPolicy {
    /// Decides whether libcurl may connect to an address.
    public func allows(_ address: SocketAddress, scheme: URLScheme) -> Bool {
        guard let ip = IPAddress(bytes: address.bytes) else { return false }
        return validate(ip, port: address.port, scheme: scheme) == nil
    }
}
