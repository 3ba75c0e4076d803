/// Why no connection to a host may be opened now.
public enum HostWaitReason: String, Hashable, Sendable {
    /// The limit is reached; until one closes.
    case cap
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

/// What changed the number of connections to a host, and to how many.
public struct HostEvent: Hashable, Sendable {
    public let at: Timestamp
    public let cause: Cause
    /// The limit of connections from then on.
    public let cap: Int

    public init(at: Timestamp, cause: Cause, cap: Int) {
        self.at = at
        self.cause = cause
        self.cap = cap
    }

    public enum Cause: String, CaseIterable, Hashable, Sendable {
        /// It answered 429.
        case tooManyRequests = "too_many_requests"
        /// It answered 503 to more than one URL, or with `Retry-After`.
        case unavailable
        /// It reset a connection before the first byte of a response, or an answer of another status had `Retry-After`.
        case refused
        /// Downloads failed one after another.
        case failures
        /// It answered for some time.
        case success

        /// What happened, for the middle of a sentence.
        fileprivate var text: String {
            switch self {
            case .tooManyRequests: "a 429"
            case .unavailable: "a 503"
            case .refused: "a refused connection"
            case .failures: "failures of several downloads"
            case .success: "good answers"
            }
        }
    }
}

/// The state of a host for callers.
public struct HostSnapshot: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Connections are opened, up to the cap.
        case closed
        /// No connections, because downloads failed one after another.
        case open
        /// One connection, as a probe.
        case halfOpen = "half_open"
        /// No connections, because the host asked for it.
        case frozen
    }

    public let state: State
    /// The current limit of connections, as learned; at most the ceiling.
    public let cap: Int
    /// The connections that the settings allow.
    public let ceiling: Int
    public let openConnections: Int
    /// When a connection may be opened again; nil unless the state is frozen or open.
    public let heldUntil: Timestamp?
    /// Why none may be opened now; nil if one may.
    public let reason: HostWaitReason?
    /// The maximum of connections of one download, as learned; nil if it refused none.
    public var connectionsPerDownload: Int?
    /// What led here, the newest last.
    public var events: [HostEvent] = []

    public init(
        state: State,
        cap: Int,
        ceiling: Int,
        openConnections: Int,
        heldUntil: Timestamp?,
        reason: HostWaitReason?,
        connectionsPerDownload: Int? = nil
    ) {
        self.state = state
        self.cap = cap
        self.ceiling = ceiling
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
    /// Why a download of the host waits, in a sentence; nil while none has to.
    ///
    /// - Parameter instant: Writes an instant.
    public func waitingReason(of authority: String, instant: (Timestamp) -> String) -> String? {
        guard let reason else { return nil }
        let next = heldUntil.map { "; next try \(instant($0))" } ?? ""
        switch reason {
        case .cap:
            let connections = cap == 1 ? "1 connection" : "\(cap) connections"
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

    /// The same, with a stored deferral that the governor of this process does not know.
    fileprivate func deferred(until time: Timestamp) -> Self {
        guard state == .closed else { return self }
        var deferred = Self(
            state: .frozen,
            cap: cap,
            ceiling: ceiling,
            openConnections: openConnections,
            heldUntil: time,
            reason: .retryAfter
        )
        deferred.events = events
        return deferred
    }
}
