import Core
import HTTPFields
import Linux
import TransferRules

/// The end of an attempt: verifies the whole file and publishes it.
extension Attempt {
    /// Verifies the whole file and moves it to its final path.
    func finish() async throws(AttemptInterruption) -> PublishedFile {
        meter.enter(.verifying)
        let size = state.stored.durableBytes
        try check(total: size)
        let sealed = if let bytes = work.bytes { try await sealBytes(bytes) } else { try await sealPart(size: size) }
        meter.enter(.publishing)
        let checkpoint = Checkpoint(
            generation: generation,
            source: file.source,
            totalBytes: sealed.identity.sizeBytes,
            segments: [],
            blocks: checkpointSink.storesBlocks ? work.unrecordedBlocks : []
        )
        return try await files.publish(sealed, of: download, checkpoint, checkpointSink)
    }

    private func sealPart(size: Int64) async throws(AttemptInterruption) -> VerifiedPart {
        let storage = try await finishedPart(size: size)
        guard let digests = try await digests(size: size) else {
            // Every byte is recorded, so the next attempt needs no request to the origin.
            try await record(storage, size: size)
            throw .stopped
        }
        try verify(digests)
        return try await storage.part.seal(size: size, digests: digests, modifiedNanoseconds: modifiedNanoseconds)
    }

    /// The modification time for the file, in nanoseconds since 1970; nil for the time of the last write.
    var modifiedNanoseconds: Int64? {
        guard context.settings.preservesModificationTime(of: download.request) else { return nil }
        return file.source.modificationDate(now: context.time.now).map { $0.secondsSinceEpoch * 1_000_000_000 }
    }

    /// - Returns: nil if the task was cancelled.
    private func digests(size: Int64) async throws(AttemptInterruption) -> [Digest]? {
        if Task.isCancelled { return nil }
        guard let digester = work.digester else { return [] }
        return try await mappingDiskErrors { [meter] () async throws(SystemError) in
            try await digester.finish(size: size) { meter.recordVerified($0) }
        }
    }

    /// Records that every byte is durable.
    private func record(_ storage: any PartStorage, size: Int64) async throws(AttemptInterruption) {
        let durable = try await storage.makeDurable(FlushSnapshot(ranges: size > 0 ? [0..<size] : []))
        guard durable.byteCount == size else { return }
        let checkpoint = Checkpoint(
            generation: generation,
            source: file.source,
            totalBytes: size,
            segments: [Segment(index: 0, start: 0, end: size, durableEnd: size)],
            blocks: work.unrecordedBlocks,
            isProgress: !state.isRefetching
        )
        try await mappingSinkErrors { try await checkpointSink.checkpoint(checkpoint) }
    }

    func verify(_ digests: [Digest]) throws(AttemptInterruption) {
        if let mismatch = expected.mismatch(digests) { throw .failed(mismatch) }
    }
}
