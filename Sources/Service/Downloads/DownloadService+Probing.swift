public import Core
import Synchronization
import Transfer

extension DownloadService {
    /// The maximum number of probes at the same time.
    private static let mostProbes = 16

    /// Requests what the origin reports about a file. Nothing is stored.
    ///
    /// - Throws: The error with which a download of this request would be refused; ``ServiceError/overloaded`` if too
    ///   many probes are running.
    public func probe(_ requested: RequestedDownload) async throws -> ProbeReport {
        guard !running.isShuttingDown else { throw ServiceError.draining }
        let now = time.now
        _ = try validator.request(requested, now: now)
        guard requested.credentials.postBody == nil else {
            throw ServiceError.unprocessable([Violation("/method", .forbidden, "A probe sends no POST.")])
        }
        defer { probes.wrappingSubtract(1, ordering: .relaxed) }
        guard probes.wrappingAdd(1, ordering: .relaxed).newValue <= Self.mostProbes else {
            throw ServiceError.overloaded
        }
        return await engine.probe(requested, as: DownloadID(at: now))
    }
}
