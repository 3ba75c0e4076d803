import Core

/// The limits on running downloads for one claim.
public struct Slots: Hashable, Sendable {
    /// The number of free slots on the server.
    public var free: Int
    /// The maximum number of running downloads per host (`host:port`).
    public var perHost: Int
    /// Whether a host may use at most seven times as many slots as stay free, plus one.
    ///
    /// A single host then gets seven eighths of the slots, and the next host finds free slots: the dynamic threshold of
    /// Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches" (1998).
    public var isSharedByFree: Bool
    /// How many more downloads may start, for each host with a known connection limit; 0 for none.
    public var hostRooms: [String: Int]

    public init(free: Int, perHost: Int, isSharedByFree: Bool = false, hostRooms: [String: Int] = [:]) {
        self.free = free
        self.perHost = perHost
        self.isSharedByFree = isSharedByFree
        self.hostRooms = hostRooms
    }
}
