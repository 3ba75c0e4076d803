import Linux
import Model

/// Whether the part file still holds what was recorded of it.
extension Attempt {
    /// Reads the blocks that have a digest, and gives up what is not what it was.
    ///
    /// A file that was damaged in one place is not believed in another without proof: then only the blocks whose digest
    /// is right are kept. Without any damage the bytes that no digest covers are believed as their record has them.
    ///
    /// - Parameter size: How long the part file is.
    func check(_ found: PartFile, size: Int64) async throws(AttemptInterruption) {
        let isLongEnough = size >= segments.map(\.durableEnd).max() ?? 0
        let isRecent = engine.recentParts.take(found.name, now: engine.time.now)
        if isLongEnough && isRecent { return }

        let grid = BlockGrid(total: download.progress.totalBytes)
        let whole = Set(grid.blocks(within: segments.durableRanges))
        let known = blocks.filter { whole.contains($0.number) }
        let damaged = known.isEmpty ? [] : try await compare(known, with: found, grid)
        if isLongEnough && damaged.isEmpty { return }

        let unsound = Set(damaged)
        let sound = known.map(\.number).filter { !unsound.contains($0) }
        try await keep(only: sound.compactMap(grid.range), damaged: damaged, wasChecked: !known.isEmpty)
    }

    /// - Returns: Those blocks that are not what they were.
    private func compare(
        _ blocks: [BlockDigest],
        with found: PartFile,
        _ grid: BlockGrid
    ) async throws(AttemptInterruption) -> [Int] {
        meter.enter(.verifying)
        let hasher = BlockHasher(file: found.file, grid: grid, pool: engine.pool)
        let damaged = try await onDisk { [meter] () async throws(SystemError) in
            try await hasher.damaged(among: blocks) { meter.noteVerified($0) }
        }
        guard let damaged else { throw .stopped }
        meter.enter(.probing)
        return damaged
    }

    private func keep(
        only sound: [Range<Int64>],
        damaged: [Int],
        wasChecked: Bool
    ) async throws(AttemptInterruption) {
        let before = segments.durableBytes
        let total = download.progress.totalBytes
        var plan = SegmentPlan(total: total ?? .max, stored: segments)
        // Behind a hole nothing can be kept of what is fetched to its end in one go: a file whose end nobody knows, or
        // one of FTP or SFTP.
        plan.keep(only: total == nil || isFile ? sound.leading : sound)
        let kept = plan.recordable(isOpenEnded: total == nil)
        let damage = PartDamage(blocks: damaged.count, bytes: before - kept.durableBytes)
        if wasChecked { await keeper.noteDamage(damage) }
        guard !kept.isEmpty else {
            return try await restart(wasChecked ? "part_damaged" : "part_missing", isChange: false)
        }
        segments = kept
        stored.durableBytes = kept.durableBytes
        // Until this is recorded the rows claim what is given up.
        let checkpoint = Checkpoint(
            generation: generation,
            source: source,
            totalBytes: total,
            segments: kept,
            forgottenBlocks: damaged,
            isProgress: false
        )
        try await recorded { try await keeper.checkpoint(checkpoint) }
    }
}

extension [Range<Int64>] {
    /// The part of them that follows from 0 on without a gap.
    fileprivate var leading: Self {
        var end: Int64 = 0
        return prefix { range in
            defer { end = range.upperBound }
            return range.lowerBound == end
        }
    }
}
