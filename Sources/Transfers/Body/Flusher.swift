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
    /// From when on blocks get digests. A transfer that is done sooner has no use for them, and would only be slower.
    let hashesFrom: Duration
    /// What is recorded when these segments are durable, and these blocks with them.
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

    /// Of the blocks that a flush leaves without, the next ones hash a few more than come new: it is waited for.
    private static let blocksPerFlush = 16

    /// Makes durable and records what was written so far, and lets the transfers go on that waited for it.
    ///
    /// - Parameter isLast: Whether it is the last of a file that is not whole: all of its blocks get digests.
    func flush(isLast: Bool = false) async throws(AttemptInterruption) {
        let snapshot = plan.snapshot()
        let completed = takeBlocks(completedBy: snapshot, isLast: isLast)
        guard !snapshot.isEmpty || !completed.isEmpty else { return }
        // Beside the flush: as long as the bytes are on their way to the disk they are in memory, so that the digests
        // are of what came; and the wait for the disk is used.
        async let hashed = digests(of: completed)
        try await part.synchronizeData(engine)
        let segments = plan.markDurable(snapshot)
        let result = await hashed
        let blocks = try await onDisk { () async throws(SystemError) in try result.get() }
        try await recorded { try await keeper.checkpoint(checkpoint(segments, blocks)) }
        window?.noteRecorded(segments, at: engine.time.elapsed)
        plan.noteRecorded(segments)
    }

    private func takeBlocks(completedBy snapshot: FlushSnapshot, isLast: Bool) -> [Int] {
        guard keeper.keepsBlocks else { return [] }
        let most = isLast ? .max : hashesFrom <= engine.time.elapsed ? Self.blocksPerFlush : 0
        return plan.takeBlocks(completedBy: snapshot, most: most)
    }

    private func digests(of numbers: [Int]) async -> Result<[BlockDigest], SystemError> {
        await BlockHasher(file: part.file, grid: plan.grid, pool: engine.pool).digests(of: numbers)
    }
}
