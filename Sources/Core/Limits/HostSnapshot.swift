/// Why no connection to a host may be opened now, and what ends the wait.
public enum HostWaitReason: String, Hashable, Sendable {
    /// The limit of connections is reached. Ends when a connection closes.
    case connectionLimit = "connection_limit"
    /// The host sent `Retry-After`. Ends at that time.
    case retryAfter = "retry_after"
    /// Consecutive downloads failed. Ends when one of them may probe the host.
    case failures
    /// One download probes the host. Ends when the probe has a response.
    case probe

    /// The longest delay of a host, regardless of its `Retry-After`.
    public static let longest = Duration.seconds(3600)
    /// How long no ranges are requested from a host that sent the whole file instead. Limited, because servers may be
    /// repaired.
    public static let rangeRefusal = Duration.seconds(86_400)
}

/// The state of a host, as shown to users.
public struct HostSnapshot: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Connections are allowed, up to the limit.
        case available
        /// No connections are allowed, because of a `Retry-After`.
        case throttled
        /// No connections are allowed, because consecutive downloads failed.
        case blocked
        /// One connection is allowed, as a probe.
        case probing
    }

    public let state: State
    /// The current limit of connections, adjusted to the host's responses; at most ``maxConnectionLimit``.
    public let connectionLimit: Int
    /// The limit of connections in the settings.
    public let maxConnectionLimit: Int
    public let openConnections: Int
    /// When a connection may be opened again; nil unless the state is `throttled` or `blocked`.
    public let heldUntil: Timestamp?
    /// Why no connection may be opened now; nil if one may.
    public let reason: HostWaitReason?
    /// The learned maximum of connections per download; nil if the host refused none.
    public var connectionsPerDownload: Int?
    /// The changes that led to the limit, newest last.
    public var events: [HostEvent] = []

    public init(
        state: State,
        connectionLimit: Int,
        maxConnectionLimit: Int,
        openConnections: Int,
        heldUntil: Timestamp?,
        reason: HostWaitReason?,
        connectionsPerDownload: Int? = nil
    ) {
        self.state = state
        self.connectionLimit = connectionLimit
        self.maxConnectionLimit = maxConnectionLimit
        self.openConnections = openConnections
        self.heldUntil = heldUntil
        self.reason = reason
        self.connectionsPerDownload = connectionsPerDownload
    }
}

extension HostSnapshot {
    /// A sentence that says why downloads of the host wait; nil if they do not have to.
    ///
    /// - Parameter instant: Formats an instant.
    public func waitingReason(of authority: String, instant: (Timestamp) -> String) -> String? {
        guard let reason else { return nil }
        let next = heldUntil.map { "; next try \(instant($0))" } ?? ""
        switch reason {
        case .connectionLimit:
            let connections = connectionLimit == 1 ? "1 connection" : "\(connectionLimit) connections"
            return "\(authority) is limited to \(connections)\(lastCause(instant)), and all are in use."
        case .retryAfter: return "\(authority) asked for a pause\(lastCause(instant))\(next)."
        case .failures: return "\(authority) is not tried\(lastCause(instant))\(next)."
        case .probe: return "\(authority) is tried with 1 download\(lastCause(instant))."
        }
    }

    private func lastCause(_ instant: (Timestamp) -> String) -> String {
        guard let event = events.last(where: { $0.cause != .success }) else { return "" }
        return " after \(event.cause.text) at \(instant(event.at))"
    }

    /// The snapshot with a stored delay that this process's governor does not know.
    func deferred(until time: Timestamp) -> Self {
        guard state == .available else { return self }
        var deferred = Self(
            state: .throttled,
            connectionLimit: connectionLimit,
            maxConnectionLimit: maxConnectionLimit,
            openConnections: openConnections,
            heldUntil: time,
            reason: .retryAfter
        )
        deferred.events = events
        return deferred
    }
}
