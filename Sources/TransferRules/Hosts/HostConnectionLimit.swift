public import Core

/// The number of connections that a host accepts for one download, learned from a 403 to a further connection.
///
/// A 429 or 503 concerns all requests to the host, so ``HostGovernor`` handles it. A 403 to a further connection has
/// two possible causes: too many connections of this download, or a URL that has expired. So only the first request of
/// a connection counts; a 403 to a later request, or without another connection, concerns the URL. The two causes
/// cannot always be distinguished, so the limit is kept for a short time only.
public struct HostConnectionLimit: Hashable, Sendable {
    private var connections: Int?
    private var until: Timestamp?

    static let memory = Duration.seconds(600)

    public init() {}

    /// Records that a connection was refused while other connections of the download worked.
    ///
    /// - Parameter working: The number of the other connections.
    public mutating func recordRefusal(beside working: Int, at now: Timestamp) {
        guard working > 0 else { return }
        connections = min(most(at: now) ?? working, working)
        until = now + Self.memory
    }

    /// Records that a connection was refused after it had worked, or without another one: the URL was the cause, not
    /// the number.
    public mutating func recordURLRefusal() { self = HostConnectionLimit() }

    /// The maximum number of connections for a download; nil if none is known.
    public func most(at now: Timestamp) -> Int? {
        guard let until, until.isAhead(of: now, within: Self.memory) else { return nil }
        return connections
    }
}
