public import Core
public import Curl
import Synchronization

/// Checks whether a name that libcurl could not resolve does not exist. libcurl has one error code for a missing name
/// and for a failing resolver (libcurl-errors(3)).
final class HostNameCheck: Sendable {
    /// The result of a DNS query.
    enum Outcome: Sendable {
        case unknown
        /// The name exists, or the resolver cannot tell.
        case other
        /// Too many queries were running. Forbidden and unknown names look the same in this case, too.
        case notChecked
    }

    private let count = Atomic<Int>(0)
    private let isUnknown: @Sendable (String) async -> Bool

    /// The maximum number of concurrent queries. While a resolver fails, each query takes long; further callers must
    /// not wait.
    static let limit = 4

    /// - Parameter isUnknown: Queries the resolver.
    init(isUnknown: @escaping @Sendable (String) async -> Bool) {
        self.isUnknown = isUnknown
    }

    func check(_ host: String) async -> Outcome {
        let checks = count.wrappingAdd(1, ordering: .relaxed).newValue
        defer { count.wrappingSubtract(1, ordering: .relaxed) }
        guard checks <= Self.limit else { return .notChecked }
        return await isUnknown(host) ? .unknown : .other
    }
}

extension DestinationPolicy {
    /// Whether libcurl may connect to an address.
    ///
    /// - Parameter isLed: Whether a public origin led to it.
    public func allows(_ address: SocketAddress, scheme: URLScheme, isLed: Bool = false) -> Bool {
        guard let ip = IPAddress(bytes: address.bytes) else { return false }
        return validate(ip, port: address.port, scheme: scheme) == nil && (!isLed || allowsLead(to: ip))
    }
}
