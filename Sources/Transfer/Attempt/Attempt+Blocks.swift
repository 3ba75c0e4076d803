import Core
import HTTPFields
import Linux
import TransferRules

/// Verifies that the part file still holds the recorded bytes.
extension Attempt {
    /// Reads the bytes that have a digest, and drops those that differ from it.
    ///
    /// If one place is damaged, only bytes with a correct digest are kept. Without damage, bytes that no digest covers
    /// are kept too; the service records no such bytes.
    ///
    /// - Parameter size: The length of the part file, in bytes.
    func check(_ found: PartFile, size: Int64) async throws(AttemptInterruption) {
        let isLongEnough = size >= state.segments.map(\.durableEnd).max() ?? 0
        let isRecent = disk.recentParts.remove(found.name, now: context.time.now)
        if isLongEnough && isRecent { return }

        let durable = state.segments.durableRanges
        let known = blocks.filter { block in
            !block.range.isEmpty && durable.contains { $0.contains(block.range) }
        }
        let damaged = known.isEmpty ? [] : try await compare(known, with: found)
        if isLongEnough && damaged.isEmpty {
            if try await isAsPublished(found, covered: known) { return }
            // No digest shows which bytes are correct.
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
        let hasher = BlockHasher(file: found.file, pool: disk.pool)
        let damaged = try await mappingDiskErrors { [meter] () async throws(SystemError) in
            try await hasher.damaged(among: blocks) { meter.recordVerified($0) }
        }
        guard let damaged else { throw .stopped }
        meter.enter(.probing)
        return damaged
    }

    /// Whether a whole part that was verified but could not be moved still matches its digests. A small file has only
    /// digests of the whole, and none of blocks.
    private func isAsPublished(
        _ found: PartFile,
        covered: [BlockDigest]
    ) async throws(AttemptInterruption) -> Bool {
        let size = state.segments.durableBytes
        guard let file = download.file, file.sizeBytes == size, !file.digests.isEmpty else { return true }
        guard covered.reduce(0, { $0 + Int64($1.range.count) }) < size else { return true }
        let digests = try await mappingDiskErrors { () async throws(SystemError) in
            let digester = Digester(found.file, algorithms: file.digests.map(\.algorithm), pool: disk.pool)
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
        // Behind a gap nothing is kept if the file is fetched in one stream: its size is unknown, or its scheme has no
        // segments.
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
        // Until this is recorded, the rows claim bytes that were dropped.
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
    /// The segments from byte 0 to the first gap.
    fileprivate var leading: Self {
        var end: Int64 = 0
        return prefix { range in
            defer { end = range.upperBound }
            return range.lowerBound == end
        }
    }
}

/// The damage that was found in a part file.
public struct PartDamage: Hashable, Sendable {
    /// The number of blocks whose bytes have changed.
    public let blocks: Int
    /// The number of bytes to fetch again: those of the blocks, and those that no digest covers.
    public let bytes: Int64
}
