import Core
import HTTPServer
import HTTPTypes
import Service

// MARK: - GET /stats

extension Downloads {
    func stats(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let stats = try await mappingServiceErrors { () async throws(ServiceError) in try await service.stats() }
        return .json(.ok, StatsBody(stats).encoded())
    }
}

/// Counts of downloads, and the current transfer rates.
struct StatsBody: Resource {
    static let usualLength = 256

    private let stats: ServiceStats

    init(_ stats: ServiceStats) {
        self.stats = stats
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("counts") { writer in
                for state in DownloadState.allCases { writer.member(state.rawValue, stats.counts[state] ?? 0) }
            }
            writer.member("received_bytes", stats.receivedBytes)
            writer.member("bytes_per_second", Int64(stats.bytesPerSecond.rounded()))
        }
    }
}
