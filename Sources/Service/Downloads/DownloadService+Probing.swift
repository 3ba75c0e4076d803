public import Core
import Synchronization
import Transfer

extension DownloadService {
    /// How many probes may be under way.
    private static let mostProbes = 16

    /// What the origin says of a file now. Nothing is stored.
    ///
    /// - Throws: What a download of this request is refused with, and ``ServiceError/overloaded`` while many are under
    ///   way.
    public func probe(_ requested: RequestedDownload) async throws(ServiceError) -> ProbeReport {
        guard !running.isShuttingDown else { throw .draining }
        let now = time.now
        _ = try validator.request(requested, now: now)
        guard requested.credentials.postBody == nil else {
            throw .unprocessable([Violation("/method", .forbidden, "A probe sends no POST.")])
        }
        defer { probes.wrappingSubtract(1, ordering: .relaxed) }
        guard probes.wrappingAdd(1, ordering: .relaxed).newValue <= Self.mostProbes else { throw .overloaded }
        return await engine.probe(requested, as: DownloadID(at: now))
    }
}
