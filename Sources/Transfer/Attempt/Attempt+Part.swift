import Core
import HTTPFields
import Linux
import TransferRules

/// The part file of an attempt: found, begun, given up.
extension Attempt {
    /// Opens the part file and checks it, or finds that what the record claims is not there and begins anew.
    func findPart() async throws(AttemptInterruption) {
        guard state.stored.durableBytes > 0 else { return }
        let name = PartName(id: download.id, generation: generation)
        guard let (found, size) = try await PartFile.open(name, disk) else {
            _ = try await restart(AttemptRestart("part_missing"))
            return
        }
        try await check(found, size: size)
        // Nothing of it could be kept.
        guard state.stored.durableBytes > 0 else { return }
        use(found)
        work.digester?.advance(to: state.segments.contiguousEnd)
    }

    /// Asks no origin for what there is no room for, where the size is known already.
    func requireRoom() async throws(AttemptInterruption) {
        guard let total = download.progress.totalBytes ?? download.request.expected.sizeBytes else { return }
        try await requireQuota(for: total)
        guard disk.space.low > 0, total - state.stored.durableBytes > Self.smallBytes else { return }
        let part = work.part
        let hasRoom = try await mappingDiskErrors { () async throws(SystemError) in
            try await disk.pool.run { [space = disk.space] () throws(SystemError) in
                let allocated = try part?.file.information().allocatedBytes ?? 0
                if allocated >= total { return true }
                return try space.reserve(total - allocated) != nil
            }
        }
        guard hasRoom else {
            throw .failed(try await PartFile.noRoom(for: total - state.stored.durableBytes, of: total, disk))
        }
    }

    func use(_ part: PartFile) {
        work.part = part
        let algorithms = algorithms
        work.digester = algorithms.isEmpty ? nil : Digester(part.file, algorithms: algorithms, pool: disk.pool)
    }

    /// Goes on with the digester if it computes what the answer that was just accepted asks for, else with another.
    func followDigests() {
        guard let part = work.part, work.digester.map(\.algorithms) ?? [] != algorithms else { return }
        use(part)
        work.digester?.advance(to: state.segments.contiguousEnd)
    }

    /// The digests that this file is to get: the service's, and those that are expected.
    var algorithms: [DigestAlgorithm] {
        let expected = expected.digests.map(\.algorithm)
        return DigestAlgorithm.allCases.filter { $0 == context.settings.digest || expected.contains($0) }
    }

    private func makePart(for bytes: Int64) async throws(AttemptInterruption) -> PartFile {
        try await PartFile.create(PartName(id: download.id, generation: generation), for: bytes, disk)
    }

    /// - Parameter fromStart: Whether the body is the file's from its start, and whatever the part holds is cut off.
    func preparedPart(for acceptance: AcceptedBody, fromStart: Bool) async throws(AttemptInterruption) -> PartFile {
        if fromStart {
            use(try await makePart(for: acceptance.total ?? 0))
        }
        guard let part = work.part else { throw .failed(.lostPart) }
        if let total = acceptance.total, total - acceptance.writeOffset > Self.smallBytes {
            try await part.allocate(total: total, from: acceptance.writeOffset, disk)
        }
        return part
    }

    func finishedPart(size: Int64) async throws(AttemptInterruption) -> PartFile {
        // A file that was found to be empty by its range has no bytes that a part could have been made for.
        guard let part = work.part else {
            guard size == 0 else { throw .failed(.lostPart) }
            let part = try await makePart(for: 0)
            use(part)
            return part
        }
        return part
    }
}
