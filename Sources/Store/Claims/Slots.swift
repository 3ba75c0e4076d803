/// How many downloads may run.
public struct Slots: Hashable, Sendable {
    /// Free ones on the server.
    public var free: Int
    /// The most that one host (`host:port`) is asked for at once.
    public var perHost: Int
    /// How many more may begin of hosts that are known to bear no more; 0 for one that is to be left alone.
    public var hostRooms: [String: Int]

    public init(free: Int, perHost: Int, hostRooms: [String: Int] = [:]) {
        self.free = free
        self.perHost = perHost
        self.hostRooms = hostRooms
    }
}
