import Linux
import Model

/// Makes the bytes of a running transfer durable, and records them, a window or a second at a time.
///
/// The order is the promise: bytes to the disk first, then the record that claims them.
struct Flusher: Sendable {
    let engine: Engine
    let part: PartFile
    let plan: SharedPlan
    let keeper: any ProgressKeeper
    /// What is recorded when these segments are durable, and these blocks with them.
    let checkpoint: @Sendable ([Segment], [BlockDigest]) -> Checkpoint

    /// Flushes at each wake-up until there are no more.
    ///
    /// - Returns: What ended it before.
    func run(_ wakes: AsyncStream<Void>) async -> AttemptInterruption? {
        do throws(AttemptInterruption) {
            for await _ in wakes {
                try await flush()
                // No room could be taken beforehand for a body whose length is unknown.
                if plan.isOpenEnded { try await part.requireReserve(engine) }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Makes durable and records what was written so far, and lets the transfers go on that waited for it.
    func flush() async throws(AttemptInterruption) {
        let snapshot = plan.snapshot()
        guard !snapshot.isEmpty else { return }
        // Beside the flush: as long as the bytes are on their way to the disk they are in memory, so that the digests
        // are of what came; and the wait for the disk is used.
        let completed = keeper.keepsBlocks ? plan.blocks(completedBy: snapshot) : []
        async let hashed = digests(of: completed)
        try await part.synchronizeData(engine)
        let segments = plan.markDurable(snapshot)
        let result = await hashed
        let blocks = try await onDisk { () async throws(SystemError) in try result.get() }
        try await recorded { try await keeper.checkpoint(checkpoint(segments, blocks)) }
        plan.noteRecorded(segments)
    }

    private func digests(of numbers: [Int]) async -> Result<[BlockDigest], SystemError> {
        await BlockHasher(file: part.file, grid: plan.grid, pool: engine.pool).digests(of: numbers)
    }
}
