import Core
import HTTPServer
import HTTPTypes
import Service

// MARK: - GET /stats

extension Downloads {
    func stats(_ context: RequestContext) async throws -> ServerResponse {
        _ = try Query(context.request.query)
        let stats = try await service.stats()
        return .json(.ok, StatsBody(stats).encoded())
    }
}

/// The current counts, rates and reserves of the service.
struct StatsBody: Resource {
    static let usualLength = 512

    private let stats: ServiceStats

    init(_ stats: ServiceStats) {
        self.stats = stats
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("counts") { writer in
                let counts = stats.downloads.counts
                for state in DownloadState.allCases { writer.member(state.rawValue, counts[state] ?? 0) }
            }
            writer.member("received_bytes", stats.receivedBytes)
            writer.member("bytes_per_second", Int64(stats.bytesPerSecond.rounded()))
            writer.member("received_bytes_since_start", stats.receivedSinceStart)
            writer.member("connections", stats.connections)
            writer.member("oldest_queued_at", stats.oldestQueuedAt)
            let disk = stats.roots.first { $0.root == .downloads }
            writer.member("disk") { writer in
                writer.member("free_bytes", disk?.freeBytes)
                writer.member("reserved_bytes", disk?.reservedBytes ?? 0)
                writer.name("unsupported")
                writer.array(disk?.unsupported ?? []) { $0.string($1) }
            }
            writer.name("roots")
            writer.array(stats.roots.filter { $0.root != .downloads }) { writer, root in
                writer.object { writer in
                    writer.member("root", root.root.text)
                    writer.member("available", root.isAvailable)
                    writer.member("free_bytes", root.freeBytes)
                    writer.member("reserved_bytes", root.reservedBytes)
                    writer.name("unsupported")
                    writer.array(root.unsupported ?? []) { $0.string($1) }
                }
            }
            writer.member("webhooks") { writer in
                writer.member("pending_deliveries", stats.pendingDeliveries.total)
                writer.member("pending_deliveries_is_lower_bound", stats.pendingDeliveries.isLowerBound)
            }
            writer.member("uptime_seconds", stats.uptime.components.seconds)
        }
    }
}
