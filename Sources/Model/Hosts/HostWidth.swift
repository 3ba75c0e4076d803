/// How many connections of one download a host bears, where it refuses more without a word about when.
///
/// A status of 429 or 503 speaks of all that asks the host, and is its ``HostGovernor``'s. A 403 to one more connection
/// speaks of this download's, or of a link that has expired meanwhile. The first request of a connection alone is
/// counted therefore, and what is refused where it worked before, or beside none, speaks of the link. Between the two
/// nobody can always tell, so it is remembered for a short time only.
public struct HostWidth: Hashable, Sendable {
    private var connections: Int?
    private var until: Timestamp?

    static let memory = Duration.seconds(600)

    public init() {}

    /// Notes that a connection was refused beside others of its download.
    ///
    /// - Parameter working: The others.
    public mutating func noteRefusal(beside working: Int, at now: Timestamp) {
        guard working > 0 else { return }
        connections = min(most(at: now) ?? working, working)
        until = now + Self.memory
    }

    /// Notes that a request was refused where its connection had worked, or no other was at work: it was not for their
    /// number.
    public mutating func noteRefusalOfLink() { self = HostWidth() }

    /// The most connections that a download is to have; nil where nothing is known.
    public func most(at now: Timestamp) -> Int? {
        guard let until, until.isAhead(of: now, within: Self.memory) else { return nil }
        return connections
    }
}
