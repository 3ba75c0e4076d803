import Logging
import Model
import Store
import Transfers

/// Takes over what an earlier process left, however it ended. Running it again changes nothing more.
struct Recovery: Sendable {
    let store: Store
    let engine: Engine
    let logger: Logger

    /// - Returns: The downloads whose publishing is to be finished.
    func run(owner: String, now: Timestamp) async throws -> [ClaimedDownload] {
        let recovered = try await store.recover(owner: owner, now: now)
        for id in recovered.held {
            logger.warning(
                "download waits for a resume: the service ended again and again while it ran",
                metadata: ["download.id": "\(id)", "error.code": "\(DownloadError.Code.serviceCrashed.rawValue)"]
            )
        }
        let swept = try await engine.sweepParts { part in
            try await store.needsPart(part.id, generation: part.generation)
        }
        logger.info(
            "recovered",
            metadata: [
                "recovery.publishing": "\(recovered.publishing.count)", "recovery.held": "\(recovered.held.count)",
                "recovery.swept_parts": "\(swept)",
            ]
        )
        return recovered.publishing
    }
}
