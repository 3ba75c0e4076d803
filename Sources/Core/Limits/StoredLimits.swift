/// The rate limits that clients have set.
public struct StoredLimits: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements
    /// The limits of single hosts (`host:port`) in place of the common one, in bytes per second.
    public var hosts: [String: Int64]
    /// Counts all changes, including those of hosts; 0 before the first one.
    public var revision: Int64
    public var changedAt: Timestamp?

    public init(
        replacements: ServiceLimits.Replacements = .init(),
        hosts: [String: Int64] = [:],
        revision: Int64 = 0,
        changedAt: Timestamp? = nil
    ) {
        self.replacements = replacements
        self.hosts = hosts
        self.revision = revision
        self.changedAt = changedAt
    }
}
