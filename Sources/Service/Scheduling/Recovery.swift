import Core
import Logging
import ServiceLifecycle
import Store
import Transfer

/// Takes over the state of an earlier process, however that ended. A second run changes nothing.
struct Recovery: Sendable {
    let store: Store
    let engine: Engine
    let logger: Logger

    /// - Returns: The downloads whose publishing must be finished.
    func run(node: String, now: Timestamp) async throws -> [ClaimedDownload] {
        let recovered = try await store.recover(after: .all, node: node, now: now)
        for id in recovered.deferred {
            logger.warning(
                "download deferred until a resume after repeated crashes",
                metadata: ["download.id": "\(id)", "error.code": "\(DownloadError.Code.serviceCrashed.rawValue)"]
            )
        }
        await settleMoves(now: now)
        let swept = try await engine.sweepParts { part in
            try await store.needsPart(part.id, generation: part.generation)
        }
        // The usual start, with nothing to recover, is no news.
        let hasRecovered = swept > 0 || !recovered.publishing.isEmpty || !recovered.deferred.isEmpty
        logger.log(
            level: hasRecovered ? .info : .debug,
            "recovered",
            metadata: [
                "recovery.publishing": .stringConvertible(recovered.publishing.count),
                "recovery.held": .stringConvertible(recovered.deferred.count),
                "recovery.swept_parts": .stringConvertible(swept),
            ]
        )
        return recovered.publishing
    }
}

extension Recovery {
    /// Finishes or abandons moves of finished files. One that cannot be settled now is settled by the next move or
    /// deletion of its download, or by the next start.
    private func settleMoves(now: Timestamp) async {
        do {
            for download in try await store.unfinishedMoves() {
                do {
                    try await DownloadService.settleMove(of: download, store, engine, now: now)
                } catch {
                    logger.warning(
                        "move of a finished file not completed",
                        metadata: ["download.id": "\(download.id)", "error": "\(error)"]
                    )
                }
            }
        } catch {
            logger.warning("moves of finished files not read", metadata: ["error": "\(error)"])
        }
    }
}
