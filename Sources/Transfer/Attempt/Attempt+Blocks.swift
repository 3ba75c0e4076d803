import Core
import HTTPFields
import Linux
import TransferRules

/// Verifies the bytes of the part file against their record.
extension Attempt {
    /// Compares the stored bytes with their recorded digests and drops the bytes that differ.
    ///
    /// If a block is damaged or the file is too short, only bytes with a correct digest are kept. Otherwise bytes
    /// without a digest are kept too; the service records no such bytes.
    ///
    /// - Parameter size: The length of the part file, in bytes.
    func check(_ found: PartFile, size: Int64) async throws(AttemptInterruption) {
        let isLongEnough = size >= state.segments.map(\.durableEnd).max() ?? 0
        let isRecent = partFolder.recentParts.remove(found.name, now: context.time.now)
        if isLongEnough && isRecent { return }

        let durable = state.segments.durableRanges
        let known = blocks.filter { block in
            !block.range.isEmpty && durable.contains { $0.contains(block.range) }
        }
        let damaged = known.isEmpty ? [] : try await compare(known, with: found)
        if isLongEnough && damaged.isEmpty {
            if try await isAsPublished(found, covered: known) { return }
            // The digest of the whole file differs, and no block digest shows which bytes are damaged.
            _ = try await restart(AttemptRestart("part_damaged"))
            return
        }

        let unsound = Set(damaged)
        let sound = known.filter { !unsound.contains($0) }.map(\.range)
        try await retain(only: sound, damaged: damaged, wasChecked: !known.isEmpty)
    }

    /// - Returns: The blocks whose bytes differ from their digest.
    private func compare(
        _ blocks: [BlockDigest],
        with found: PartFile
    ) async throws(AttemptInterruption) -> [BlockDigest] {
        meter.enter(.verifying)
        let hasher = BlockHasher(file: found.file, pool: partFolder.pool)
        let damaged = try await mappingDiskErrors { [meter] () async throws(SystemError) in
            try await hasher.damaged(among: blocks) { meter.recordVerified($0) }
        }
        guard let damaged else { throw .stopped }
        meter.enter(.probing)
        return damaged
    }

    /// Whether a part file that was verified but not moved still matches the digests of the whole file. A small file
    /// has no block digests.
    private func isAsPublished(
        _ found: PartFile,
        covered: [BlockDigest]
    ) async throws(AttemptInterruption) -> Bool {
        let size = state.segments.durableBytes
        guard let file = download.file, file.sizeBytes == size, !file.digests.isEmpty else { return true }
        guard covered.reduce(0, { $0 + Int64($1.range.count) }) < size else { return true }
        let digests = try await mappingDiskErrors { () async throws(SystemError) in
            let digester = Digester(found.file, algorithms: file.digests.map(\.algorithm), pool: partFolder.pool)
            return try await digester.finish(size: size)
        }
        guard let digests else { throw .stopped }
        return digests == file.digests
    }

    private func retain(
        only sound: [Range<Int64>],
        damaged: [BlockDigest],
        wasChecked: Bool
    ) async throws(AttemptInterruption) {
        let before = state.segments.durableBytes
        let total = download.progress.totalBytes
        var plan = SegmentPlan(total: total ?? .max, stored: state.segments)
        // A file whose size is unknown, or whose scheme has no segments, is fetched in one stream. Bytes after a gap
        // are of no use then.
        let retained = total == nil || !state.rules.abilities.segments ? sound.leading : sound
        plan.retain(only: retained)
        let segments = plan.recordable(isOpenEnded: total == nil)
        let damage = PartDamage(blocks: damaged.count, bytes: before - segments.durableBytes)
        if wasChecked { await checkpointSink.recordDamage(damage) }
        guard !segments.isEmpty else {
            _ = try await restart(AttemptRestart(wasChecked ? "part_damaged" : "part_missing"))
            return
        }
        state.retain(segments)
        // Until the checkpoint is recorded, the store lists bytes that were dropped.
        let checkpoint = Checkpoint(
            generation: generation,
            source: file.source,
            totalBytes: total,
            segments: segments,
            forgottenBlocks: blocks.filter { block in !retained.contains { $0.contains(block.range) } }.map(\.start),
            isProgress: false
        )
        try await mappingSinkErrors { try await checkpointSink.checkpoint(checkpoint) }
    }
}

extension [Range<Int64>] {
    /// The segments from byte 0 up to the first gap.
    fileprivate var leading: Self {
        var end: Int64 = 0
        return prefix { range in
            defer { end = range.upperBound }
            return range.lowerBound == end
        }
    }
}

/// The damage found in a part file.
public struct PartDamage: Hashable, Sendable {
    /// The number of blocks whose bytes differ from their digest.
    public let blocks: Int
    /// The number of bytes to fetch again: the damaged blocks, and the bytes without a digest.
    public let bytes: Int64
}
