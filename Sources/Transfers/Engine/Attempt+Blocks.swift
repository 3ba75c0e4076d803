import Linux
import Model

/// Whether the part file still holds what was recorded of it.
extension Attempt {
    /// Reads what has a digest, and gives up what is not what it was.
    ///
    /// A file that was damaged in one place is not believed in another without proof: then only the bytes whose digest
    /// is right are kept. Without any damage those that no digest covers are believed as their record has them; a
    /// service records none without.
    ///
    /// - Parameter size: How long the part file is.
    func check(_ found: PartFile, size: Int64) async throws(AttemptInterruption) {
        let isLongEnough = size >= segments.map(\.durableEnd).max() ?? 0
        let isRecent = engine.recentParts.take(found.name, now: engine.time.now)
        if isLongEnough && isRecent { return }

        let durable = segments.durableRanges
        let known = blocks.filter { block in
            !block.range.isEmpty && durable.contains { $0.contains(block.range) }
        }
        let damaged = known.isEmpty ? [] : try await compare(known, with: found)
        if isLongEnough && damaged.isEmpty {
            if try await isAsPublished(found, covered: known) { return }
            // No digest says which of the bytes are right.
            return try await restart("part_damaged", isChange: false)
        }

        let unsound = Set(damaged)
        let sound = known.filter { !unsound.contains($0) }.map(\.range)
        try await keep(only: sound, damaged: damaged, wasChecked: !known.isEmpty)
    }

    /// - Returns: Those stretches that are not what they were.
    private func compare(
        _ blocks: [BlockDigest],
        with found: PartFile
    ) async throws(AttemptInterruption) -> [BlockDigest] {
        meter.enter(.verifying)
        let hasher = BlockHasher(file: found.file, pool: engine.pool)
        let damaged = try await onDisk { [meter] () async throws(SystemError) in
            try await hasher.damaged(among: blocks) { meter.noteVerified($0) }
        }
        guard let damaged else { throw .stopped }
        meter.enter(.probing)
        return damaged
    }

    /// Whether a whole part that was sealed, and could not be moved to its place, is what its digests say. Not all of
    /// it has digests of blocks: a small file is recorded by those of the whole alone.
    private func isAsPublished(
        _ found: PartFile,
        covered: [BlockDigest]
    ) async throws(AttemptInterruption) -> Bool {
        let size = segments.durableBytes
        guard let file = download.file, file.sizeBytes == size, !file.digests.isEmpty else { return true }
        guard covered.reduce(0, { $0 + Int64($1.range.count) }) < size else { return true }
        let digests = try await onDisk { () async throws(SystemError) in
            let digester = Digester(found.file, algorithms: file.digests.map(\.algorithm), pool: engine.pool)
            return try await digester.finish(size: size)
        }
        guard let digests else { throw .stopped }
        return digests == file.digests
    }

    private func keep(
        only sound: [Range<Int64>],
        damaged: [BlockDigest],
        wasChecked: Bool
    ) async throws(AttemptInterruption) {
        let before = segments.durableBytes
        let total = download.progress.totalBytes
        var plan = SegmentPlan(total: total ?? .max, stored: segments)
        // Behind a hole nothing can be kept of what is fetched to its end in one go: a file whose end nobody knows, or
        // one of FTP or SFTP.
        let kept = total == nil || isFile ? sound.leading : sound
        plan.keep(only: kept)
        let segments = plan.recordable(isOpenEnded: total == nil)
        let damage = PartDamage(blocks: damaged.count, bytes: before - segments.durableBytes)
        if wasChecked { await keeper.noteDamage(damage) }
        guard !segments.isEmpty else {
            return try await restart(wasChecked ? "part_damaged" : "part_missing", isChange: false)
        }
        self.segments = segments
        stored.durableBytes = segments.durableBytes
        // Until this is recorded the rows claim what is given up.
        let checkpoint = Checkpoint(
            generation: generation,
            source: source,
            totalBytes: total,
            segments: segments,
            forgottenBlocks: blocks.filter { block in !kept.contains { $0.contains(block.range) } }.map(\.start),
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
