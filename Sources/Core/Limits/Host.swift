/// Why no connection to a host may be opened now.
public enum HostWaitReason: String, Hashable, Sendable {
    /// As many are open as it bears; until one closes.
    case cap
    /// It asked to be left alone (`Retry-After`); until the time that it named.
    case retryAfter = "retry_after"
    /// Downloads failed one after another; until it is tried with one of them.
    case failures
    /// It is being tried with one download; until that one has an answer.
    case probe

    /// The longest that a host is left alone, whatever it asks for.
    public static let longest = Duration.seconds(3600)
    /// How long a host that answered a range with the whole is not asked for ranges: servers are mended, too.
    public static let rangeRefusal = Duration.seconds(86_400)
}

/// How a host stands, for those who ask.
public struct HostSnapshot: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Connections are opened, up to the cap.
        case closed
        /// None is: downloads failed one after another.
        case open
        /// One may be, as a probe.
        case halfOpen = "half_open"
        /// None is: the host asked for it.
        case frozen
    }

    public let state: State
    /// The connections that it bears, as far as is known; at most the ceiling.
    public let cap: Int
    /// The connections that the settings allow.
    public let ceiling: Int
    public let openConnections: Int
    /// When a connection may be opened again; nil unless the host is frozen or open.
    public let heldUntil: Timestamp?
    /// Why none may be opened now; nil when one may.
    public let reason: HostWaitReason?
    /// The most connections of one download that it was seen to bear; nil where it refused none.
    public var connectionsPerDownload: Int?

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

/// A host as callers see it: what the process knows of it, with what is remembered across starts.
public struct HostView: Hashable, Sendable {
    /// `host:port`.
    public let authority: String
    public let snapshot: HostSnapshot
    /// Its ranges are not relied on before.
    public let refusesRangesUntil: Timestamp?
    /// What its downloads together may take, in bytes per second; nil for the limit that all hosts have.
    public let bytesPerSecond: Int64?

    /// - Parameter claimsHeldUntil: Before which no download of it is begun; nil where any may be.
    public init(
        authority: String,
        snapshot: HostSnapshot,
        claimsHeldUntil: Timestamp?,
        refusesRangesUntil: Timestamp?,
        bytesPerSecond: Int64? = nil
    ) {
        self.authority = authority
        self.snapshot = claimsHeldUntil.map(snapshot.held) ?? snapshot
        self.refusesRangesUntil = refusesRangesUntil
        self.bytesPerSecond = bytesPerSecond
    }
}

extension HostSnapshot {
    /// The same, where downloads are kept from it that the governor would let in: it asked for that before the process
    /// began.
    fileprivate func held(until time: Timestamp) -> Self {
        guard state == .closed else { return self }
        return Self(
            state: .frozen,
            cap: cap,
            ceiling: ceiling,
            openConnections: openConnections,
            heldUntil: time,
            reason: .retryAfter
        )
    }
}
