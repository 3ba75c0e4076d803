/// Bytes are not recorded: the session of their download has no room for them.
public struct QuotaExceeded: Error, Hashable, Sendable {
    public init() {}
}
