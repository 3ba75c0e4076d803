/// How many downloads may run.
public struct Slots: Hashable, Sendable {
    /// Free ones on the server.
    public var free: Int
    /// The most that one host (`host:port`) is asked for at once.
    public var perHost: Int
    /// The most for hosts that are known to bear less; 0 for one that is to be left alone.
    public var hostLimits: [String: Int]

    public init(free: Int, perHost: Int, hostLimits: [String: Int] = [:]) {
        self.free = free
        self.perHost = perHost
        self.hostLimits = hostLimits
    }

    func limit(of authority: String) -> Int {
        hostLimits.isEmpty ? perHost : min(hostLimits[authority] ?? perHost, perHost)
    }
}
