/// The limits that hold for downloads together, in bytes per second, but for those of sessions.
public struct SharedRates: Hashable, Sendable {
    /// Of all downloads; nil for no limit.
    public var server: Int64?
    /// Of those of one host and port; nil for no limit.
    public var perHost: Int64?
    /// Of those of single hosts (`host:port`), in place of `perHost`.
    public var hosts: [String: Int64]

    public init(server: Int64? = nil, perHost: Int64? = nil, hosts: [String: Int64] = [:]) {
        self.server = server
        self.perHost = perHost
        self.hosts = hosts
    }

    func rate(ofHost authority: String) -> Int64? { hosts[authority] ?? perHost }
}
