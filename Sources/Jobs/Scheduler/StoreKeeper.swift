import Model
import Store
import Transfers

/// Keeps a worker's progress in the store, in the name of its claim.
struct StoreKeeper: ProgressKeeper {
    let store: Store
    let claim: Claim
    let time: TimeSource

    func checkpoint(_ checkpoint: Checkpoint) async throws -> Fenced<Void> {
        try await store.checkpoint(claim, checkpoint, now: time.now)
    }

    func restart(reason: String) async throws -> Fenced<Int> {
        try await store.restart(claim, reason: reason, now: time.now)
    }

    func publish(_ file: PublishedFile, _ checkpoint: Checkpoint) async throws -> Fenced<Bool> {
        try await store.publish(claim, file, checkpoint, now: time.now)
    }

    func noteHostRefusesRanges(_ authority: String) async throws {
        try await store.flagHostRefusesRanges(authority)
    }
}
