/// Why no connection to a host may be opened now.
public enum HostWaitReason: String, Hashable, Sendable {
    /// The limit is reached; until one closes.
    case connectionLimit = "connection_limit"
    /// It sent `Retry-After`; until that time.
    case retryAfter = "retry_after"
    /// Downloads failed one after another; until one of them tries it.
    case failures
    /// One download tries it; until that has a response.
    case probe

    /// The longest deferral of a host, whatever `Retry-After` says.
    public static let longest = Duration.seconds(3600)
    /// How long ranges are not requested from a host that answered one with the whole file: servers are repaired, too.
    public static let rangeRefusal = Duration.seconds(86_400)
}

/// The state of a host for callers.
public struct HostSnapshot: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Connections are opened, up to the limit.
        case available
        /// No connections, because the host asked for it.
        case throttled
        /// No connections, because downloads failed one after another.
        case blocked
        /// One connection, as a probe.
        case probing
    }

    public let state: State
    /// The current limit of connections, as learned; at most ``maxConnectionLimit``.
    public let connectionLimit: Int
    /// The connections that the settings allow.
    public let maxConnectionLimit: Int
    public let openConnections: Int
    /// When a connection may be opened again; nil unless the state is throttled or blocked.
    public let heldUntil: Timestamp?
    /// Why none may be opened now; nil if one may.
    public let reason: HostWaitReason?
    /// The maximum of connections of one download, as learned; nil if it refused none.
    public var connectionsPerDownload: Int?

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

/// A host for callers: what the process knows, and what is stored.
public struct HostView: Hashable, Sendable {
    /// `host:port`.
    public let authority: String
    public let snapshot: HostSnapshot
    /// Ranges are not requested before this instant.
    public let refusesRangesUntil: Timestamp?
    /// Bytes per second of its downloads together; nil for the limit of all hosts.
    public let bytesPerSecond: Int64?

    /// - Parameter claimsHeldUntil: No download of it is claimed before; nil for no deferral.
    public init(
        authority: String,
        snapshot: HostSnapshot,
        claimsHeldUntil: Timestamp?,
        refusesRangesUntil: Timestamp?,
        bytesPerSecond: Int64? = nil
    ) {
        self.authority = authority
        self.snapshot = claimsHeldUntil.map(snapshot.deferred) ?? snapshot
        self.refusesRangesUntil = refusesRangesUntil
        self.bytesPerSecond = bytesPerSecond
    }
}

extension HostSnapshot {
    /// The same, with a stored deferral that the governor of this process does not know.
    fileprivate func deferred(until time: Timestamp) -> Self {
        guard state == .available else { return self }
        return Self(
            state: .throttled,
            connectionLimit: connectionLimit,
            maxConnectionLimit: maxConnectionLimit,
            openConnections: openConnections,
            heldUntil: time,
            reason: .retryAfter
        )
    }
}
