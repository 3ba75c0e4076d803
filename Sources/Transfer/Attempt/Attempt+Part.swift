import Core
import HTTPFields
import Linux
import TransferRules

/// The part file of an attempt: found, begun, given up.
extension Attempt {
    /// Opens the part file and checks it, or finds that what the record claims is not there and begins anew.
    func findPart() async throws(AttemptInterruption) {
        guard stored.durableBytes > 0 else { return }
        let name = PartName(id: download.id, generation: generation)
        guard let (found, size) = try await PartFile.open(name, engine) else {
            return try await restart("part_missing", isChange: false)
        }
        try await check(found, size: size)
        // Nothing of it could be kept.
        guard stored.durableBytes > 0 else { return }
        use(found)
        digester?.advance(to: segments.contiguousEnd)
    }

    /// Asks no origin for what there is no room for, where the size is known already.
    func requireRoom() async throws(AttemptInterruption) {
        guard let total = download.progress.totalBytes ?? download.request.expected.sizeBytes else { return }
        try await requireQuota(for: total)
        guard engine.space.low > 0, total - stored.durableBytes > Self.smallBytes else { return }
        let part = part
        let hasRoom = try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { [space = engine.space] () throws(SystemError) in
                let allocated = try part?.file.information().allocatedBytes ?? 0
                if allocated >= total { return true }
                return try space.reserve(total - allocated) != nil
            }
        }
        guard hasRoom else {
            throw .failed(try await PartFile.noRoom(for: total - stored.durableBytes, of: total, engine))
        }
    }

    func use(_ part: PartFile) {
        self.part = part
        let algorithms = algorithms
        digester = algorithms.isEmpty ? nil : Digester(part.file, algorithms: algorithms, pool: engine.pool)
    }

    /// Goes on with the digester if it computes what the answer that was just accepted asks for, else with another.
    func followDigests() {
        guard let part, digester.map(\.algorithms) ?? [] != algorithms else { return }
        use(part)
        digester?.advance(to: segments.contiguousEnd)
    }

    /// What the file must be: what the client says, then a Metalink document, then the origin.
    var expected: Expected {
        var expected = download.request.expected
        expected.digests = expected.digests.filled(from: metalink?.digests ?? []).filled(from: carriedDigests)
            .filled(from: source.digests)
        expected.sizeBytes = expected.sizeBytes ?? metalink?.sizeBytes
        return expected
    }

    /// The digests that this file is to get: the service's, and those that are expected.
    var algorithms: [DigestAlgorithm] {
        let expected = expected.digests.map(\.algorithm)
        return DigestAlgorithm.allCases.filter { $0 == engine.settings.digest || expected.contains($0) }
    }

    /// Throws away what is stored, under a new generation, so that no late byte of the old one can do harm.
    ///
    /// - Parameter isChange: Whether the origin's file is another: too many of these make it unstable. Where merely
    ///   nothing can be added to the bytes, the rules of retrying say how often they are fetched again.
    func restart(_ reason: String, isChange: Bool) async throws(AttemptInterruption) {
        guard !isChange || changes < RetryPolicy.maxRestarts else {
            throw .failed(
                DownloadError(
                    .originUnstable,
                    message: "The origin's file changed \(changes + 1) times during the download."
                )
            )
        }
        let old = generation
        generation = try await recorded { try await checkpointSink.restart(reason: reason, isChange: isChange) }
        if isChange { changes += 1 } else { isRefetching = true }
        part = nil
        bytes = nil
        digester = nil
        representation = nil
        sources.beginAnew()
        // What described the file that was may not describe the one that is.
        if isChange {
            carriedDigests = []
            if !isMetalinkRead { metalink = nil }
        }
        source = source.forgotten(total: stored.total)
        segments = []
        (unrecordedBlocks, runs) = ([], [])
        stored.durableBytes = 0
        stored.former = stored.validator ?? stored.former
        stored.validator = nil
        await engine.discardPart(download.id, generation: old)
    }

    private func makePart(for bytes: Int64) async throws(AttemptInterruption) -> PartFile {
        try await PartFile.create(PartName(id: download.id, generation: generation), for: bytes, engine)
    }

    /// - Parameter beginsAnew: Whether the body is the file's from its start, and whatever the part holds is cut off.
    func preparedPart(for acceptance: AcceptedBody, startsFromZero: Bool) async throws(AttemptInterruption) -> PartFile
    {
        if startsFromZero {
            use(try await makePart(for: acceptance.total ?? 0))
        }
        guard let part else { throw .failed(.lostPart) }
        if let total = acceptance.total, total - acceptance.writeOffset > Self.smallBytes {
            try await part.allocate(total: total, from: acceptance.writeOffset, engine)
        }
        return part
    }

    func finishedPart(size: Int64) async throws(AttemptInterruption) -> PartFile {
        // A file that was found to be empty by its range has no bytes that a part could have been made for.
        guard let part else {
            guard size == 0 else { throw .failed(.lostPart) }
            let part = try await makePart(for: 0)
            use(part)
            return part
        }
        return part
    }
}
