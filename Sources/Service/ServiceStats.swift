public import Core
import Store
import Transfer

/// The counts of downloads, and the current rates and reserves of the service.
public struct ServiceStats: Sendable {
    /// The totals of the stored downloads.
    public let downloads: DownloadTotals
    /// When the oldest queued download was created; nil if none is queued.
    public let oldestQueuedAt: Timestamp?
    /// The number of pending deliveries, as far as they are counted.
    public let pendingDeliveries: DownloadCount
    /// The received bytes of the running downloads.
    public let receivedBytes: Int64
    /// The total transfer rate now, in bytes per second.
    public let bytesPerSecond: Double
    /// The bytes that became durable since the service started.
    public let receivedSinceStart: Int64
    /// Connections to origins that transfer bytes now.
    public let connections: Int
    /// The space of each root, in the order of their names.
    public let roots: [RootSpace]
    public let uptime: Duration
}

extension DownloadService {
    /// The number of downloads in each state, and the current rates and reserves.
    public func stats() async throws -> ServiceStats {
        let totals = try await store.totals()
        let readings = running.readings.map(\.reading)
        let roots = await engine.spaceNow()
        return ServiceStats(
            downloads: totals.downloads,
            oldestQueuedAt: totals.oldestQueuedAt,
            pendingDeliveries: totals.pendingDeliveries,
            receivedBytes: readings.reduce(0) { $0 + $1.receivedBytes },
            bytesPerSecond: readings.filter { $0.phase == .transferring }.reduce(0) { $0 + $1.bytesPerSecond },
            receivedSinceStart: store.receivedBytes,
            connections: readings.reduce(0) { $0 + $1.connections },
            roots: roots,
            uptime: time.elapsed - startedAt
        )
    }
}
