import Linux
import Model

/// Makes the bytes of a running transfer durable, and records them, a window or a second at a time.
///
/// The order is the promise: bytes to the disk first, then the record that claims them.
struct Flusher: Sendable {
    let engine: Engine
    let part: PartFile
    let plan: SharedPlan
    /// nil where nobody waits for what it records.
    let window: FlushWindow?
    let keeper: any ProgressKeeper
    /// What is recorded when these segments are durable, with the digests of what is new in them.
    let checkpoint: @Sendable ([Segment], [BlockDigest]) -> Checkpoint

    /// Flushes at each wake-up until there are no more.
    ///
    /// - Returns: What ended it before.
    func run(_ wakes: AsyncStream<Void>) async -> AttemptInterruption? {
        do throws(AttemptInterruption) {
            for await _ in wakes {
                try await flush()
            }
            return nil
        } catch {
            return error
        }
    }

    /// Makes durable and records what was written so far, and lets the transfers go on that waited for it.
    func flush() async throws(AttemptInterruption) {
        let (snapshot, blocks) = plan.snapshot()
        guard !snapshot.isEmpty else { return }
        try await part.synchronizeData(engine)
        let segments = plan.markDurable(snapshot)
        try await recorded { try await keeper.checkpoint(checkpoint(segments, blocks)) }
        window?.noteRecorded(segments, at: engine.time.elapsed)
        plan.noteRecorded(segments, blocks)
    }
}
