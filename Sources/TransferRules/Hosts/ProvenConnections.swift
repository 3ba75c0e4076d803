import Core

/// The number of connections of one download that were useful at a host, and the rate of each.
public struct ProvenConnections: Hashable, Sendable {
    public let count: Int
    /// In bytes per second, for each connection.
    public let bytesPerSecond: Double

    public init(count: Int, bytesPerSecond: Double) {
        self.count = count
        self.bytesPerSecond = bytesPerSecond
    }
}
