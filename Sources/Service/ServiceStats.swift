public import Core
import Store
import Transfer

/// What the service holds and does now.
public struct ServiceStats: Sendable {
    /// What is stored.
    public let downloads: DownloadTotals
    /// When the oldest queued download was created; nil if none is queued.
    public let oldestQueuedAt: Timestamp?
    /// The deliveries that were not made yet, as far as they are counted.
    public let pendingDeliveries: DownloadCount
    /// What the running downloads have received.
    public let receivedBytes: Int64
    /// What they receive together now, in bytes per second.
    public let bytesPerSecond: Double
    /// The bytes that were received and made durable since the service started.
    public let receivedSinceStart: Int64
    /// Connections to origins that transfer bytes now.
    public let connections: Int
    /// The free bytes of the disk of the part files; nil if it cannot be asked.
    public let freeBytes: Int64?
    /// The bytes of the disk that running downloads have reserved and not written yet.
    public let reservedBytes: Int64
    public let uptime: Duration
}

extension DownloadService {
    /// The number of downloads in each state, and what the service does now.
    public func stats() async throws(ServiceError) -> ServiceStats {
        let totals = try await mappingStoreErrors { try await store.totals() }
        let readings = running.readings.map(\.reading)
        let space = await engine.spaceNow()
        return ServiceStats(
            downloads: totals.downloads,
            oldestQueuedAt: totals.oldestQueuedAt,
            pendingDeliveries: totals.pendingDeliveries,
            receivedBytes: readings.reduce(0) { $0 + $1.receivedBytes },
            bytesPerSecond: readings.filter { $0.phase == .transferring }.reduce(0) { $0 + $1.bytesPerSecond },
            receivedSinceStart: store.receivedBytes,
            connections: readings.reduce(0) { $0 + $1.connections },
            freeBytes: space.free,
            reservedBytes: space.reserved,
            uptime: time.elapsed - startedAt
        )
    }
}
