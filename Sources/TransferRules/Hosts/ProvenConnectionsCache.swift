public import Core

/// Keeps how many connections of one download a host accepted last. The next download begins with as many.
///
/// A refusal by the host ends the memory: the next download measures again.
public struct ProvenConnectionsCache: Hashable, Sendable {
    private var connections: ProvenConnections?
    private var until: Timestamp?

    static let memory = Duration.seconds(600)

    public init() {}

    /// Records the result of a download's measurement. One connection need not be remembered.
    public mutating func record(_ connections: ProvenConnections, at now: Timestamp) {
        guard connections.count > 1 else { return forget() }
        self.connections = connections
        until = now + Self.memory
    }

    public mutating func forget() { self = ProvenConnectionsCache() }

    /// The connections of the last download; nil if they are unknown or too old.
    public func last(at now: Timestamp) -> ProvenConnections? {
        guard let until, until.isAhead(of: now, within: Self.memory) else { return nil }
        return connections
    }
}
