/// What clients said of the limits on the rate, all of it as one revision has it.
public struct KeptLimits: Hashable, Sendable {
    public var replacements: ServiceLimits.Replacements
    /// The limits that single hosts (`host:port`) have in place of the common one, in bytes per second.
    public var hosts: [String: Int64]
    /// Counts changes, those of hosts too; 0 before the first.
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
