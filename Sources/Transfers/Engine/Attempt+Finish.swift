import Linux
import Model

/// The end of an attempt: the whole file verified and moved to its place.
extension Attempt {
    /// Verifies the whole file and moves it to its place.
    func finish() async throws(AttemptInterruption) -> PublishedFile {
        let size = stored.durableBytes
        let part = try await finishedPart(size: size)
        if Task.isCancelled { throw .stopped }
        meter.enter(.verifying)
        let digests = try await digests(size: size)
        try verify(digests)
        meter.enter(.publishing)
        let publisher = Publisher(engine: engine, keeper: keeper)
        let checkpoint = Checkpoint(generation: generation, source: source, totalBytes: size, segments: [])
        return try await publisher.publish(part, size: size, digests: digests, of: download, checkpoint)
    }

    private func digests(size: Int64) async throws(AttemptInterruption) -> [Digest] {
        guard let digester else { return [] }
        let digests = try await onDisk { () async throws(SystemError) in try await digester.finish(size: size) }
        guard let digests else { throw .stopped }
        return digests
    }

    private func verify(_ digests: [Digest]) throws(AttemptInterruption) {
        for expected in download.request.expected.digests {
            let found = digests.first { $0.algorithm == expected.algorithm }
            guard found == expected else {
                throw .failed(
                    DownloadError(
                        .checksumMismatch,
                        message:
                            "The file's \(expected.algorithm.rawValue) is \(found?.hex ?? "unknown"), not \(expected.hex)."
                    )
                )
            }
        }
    }
}
