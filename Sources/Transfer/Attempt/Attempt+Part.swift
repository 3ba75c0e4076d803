import Core
import HTTPFields
import Linux
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Opens, creates and drops the part file of an attempt.
extension Attempt {
    /// Opens and verifies the part file. If it is missing, the download restarts.
    @inline(never)
    func findPart() async throws(AttemptInterruption) {
        let name = PartName(id: download.id, generation: generation)
        guard let (found, size) = try await PartFile.open(name, partFolder) else {
            _ = try await restart(AttemptRestart("part_missing"))
            return
        }
        try await check(found, size: size)
        // Verification may have dropped every byte.
        guard state.stored.durableBytes > 0 else { return }
        use(files.storage(of: found, for: download))
        work.digester?.advance(to: state.segments.contiguousEnd)
    }

    /// The size of the file, if it is known before the first request.
    var knownSize: Int64? { download.progress.totalBytes ?? download.request.expected.sizeBytes }

    /// Checks the quota and the free disk space before the first request.
    @inline(never)
    func requireRoom(for total: Int64) async throws(AttemptInterruption) {
        try await requireQuota(for: total)
        guard partFolder.space.low > 0, total - state.stored.durableBytes > Self.smallBytes else { return }
        let part = work.part
        let hasRoom = try await mappingDiskErrors { () async throws(SystemError) in
            try await partFolder.pool.run { [space = partFolder.space] () throws(SystemError) in
                let allocated = try part?.file.information().allocatedBytes ?? 0
                if allocated >= total { return true }
                return try space.reserve(total - allocated) != nil
            }
        }
        guard hasRoom else {
            throw .failed(try await PartFile.noRoom(for: total - state.stored.durableBytes, of: total, partFolder))
        }
    }

    func use(_ storage: any PartStorage) {
        work.storage = storage
        let algorithms = algorithms
        let file = storage.part.file
        work.digester = algorithms.isEmpty ? nil : Digester(file, algorithms: algorithms, pool: partFolder.pool)
    }

    /// Replaces the digester if the accepted response added expected digests with other algorithms.
    func followDigests() {
        guard let storage = work.storage, work.digester.map(\.algorithms) ?? [] != algorithms else { return }
        use(storage)
        work.digester?.advance(to: state.segments.contiguousEnd)
    }

    /// The algorithms for this file: the configured one, and those of the expected digests.
    var algorithms: [DigestAlgorithm] {
        let expected = expected.digests.map(\.algorithm)
        return DigestAlgorithm.allCases.filter { $0 == context.settings.digest || expected.contains($0) }
    }

    private func makePart(for bytes: Int64) async throws(AttemptInterruption) -> any PartStorage {
        let part = try await PartFile.create(PartName(id: download.id, generation: generation), for: bytes, partFolder)
        return files.storage(of: part, for: download)
    }

    /// - Parameter fromStart: Whether the body begins at byte 0. The part file is then emptied.
    func preparedPart(
        for acceptance: AcceptedBody,
        fromStart: Bool
    ) async throws(AttemptInterruption) -> any PartStorage {
        if fromStart {
            use(try await makePart(for: acceptance.total ?? 0))
        }
        guard let storage = work.storage else { throw .failed(.lostPart) }
        if let total = acceptance.total, total - acceptance.writeOffset > Self.smallBytes {
            try await storage.part.allocate(total: total, from: acceptance.writeOffset)
        }
        return storage
    }

    func finishedPart(size: Int64) async throws(AttemptInterruption) -> any PartStorage {
        // An empty file has no body, so no part file was created for it.
        guard let storage = work.storage else {
            guard size == 0 else { throw .failed(.lostPart) }
            let storage = try await makePart(for: 0)
            use(storage)
            return storage
        }
        return storage
    }
}
