import Core
import Curl
import HTTPFields
import Linux
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Small files: the body is kept in memory, then one disk job creates, writes and flushes the file.
extension Attempt {
    /// The largest body that is kept in memory, in bytes.
    private static let memoryBytes = 256 << 10

    /// Whether a body is kept in memory; otherwise it is written to the disk as it arrives.
    func fitsMemory(_ acceptance: AcceptedBody) -> Bool {
        guard let length = acceptance.expectedLength, length == acceptance.total else { return false }
        // A write buffer of up to this size is allocated for other bodies, too.
        return length <= Int64(min(context.origin.buffers().gather, Self.memoryBytes))
    }

    /// - Parameter acceptance: Of a body for which ``fitsMemory(_:)`` is true.
    @inline(never)
    func receiveInMemory(
        _ response: OriginClient.Response,
        _ acceptance: AcceptedBody
    ) async throws(AttemptInterruption) -> BodyEnd {
        let length = Int(acceptance.expectedLength ?? 0)
        let exchange = response.exchange
        let throttle = context.throttle(for: exchange, from: response.finalURL.authority)
        let body = MemoryBody(length: length, throttle: throttle) { [meter] in meter.advance(to: $0) }
        let ended = await response.result(into: body)
        let bytes = body.bytes
        sources.recordReceived(Int64(bytes.count), from: state.lead)
        let isFull = bytes.count == length
        let unended = state.rules.abilities.confirmsEnd ? SegmentConnection.End(ofUnended: ended, isFull: isFull) : nil
        guard !isFull || unended != nil else {
            work.bytes = bytes
            return try whole(Int64(length), acceptance)
        }
        if !isFull, case .failure(let error) = ended, error.code != .aborted {
            response.permit.record(TransferFailure(error, stage: .body), at: .body, afterBytes: Int64(bytes.count))
        }
        // The bytes of a truncated body are kept; the next request fetches the rest.
        let storage = try await preparedPart(for: acceptance, fromStart: true)
        let transfer = transfer(of: acceptance, into: storage)
        let written: Result<Bool, AttemptInterruption>
        do throws(AttemptInterruption) {
            let authority = response.finalURL.authority
            written = .success(try await transfer.write(bytes, of: authority, endedBy: ended, unended))
        } catch {
            written = .failure(error)
        }
        return try finish(written, transfer, acceptance)
    }

    /// Writes the file from memory, if its digests match the expected ones.
    func sealBytes(_ bytes: [UInt8]) async throws(AttemptInterruption) -> VerifiedPart {
        let name = PartName(id: download.id, generation: generation)
        let (algorithms, expected, modifiedNanoseconds) = (algorithms, expected, modifiedNanoseconds)
        let size = Int64(bytes.count)
        let needsBlocks = algorithms.isEmpty && checkpointSink.storesBlocks
        let (digests, blocks, sealed) = try await mappingDiskErrors { () async throws(SystemError) in
            try await partFolder.pool.run {
                [partFolder] () throws(SystemError) -> ([Digest], [BlockDigest], VerifiedPart?) in
                let digests = algorithms.map { algorithm in
                    var hasher = FileHasher(algorithm)
                    hasher.update(bytes[...])
                    return hasher.digest
                }
                var run = BlockRun(from: 0)
                // `unsafe`: the array outlives the call. A digest of the whole file makes block digests unnecessary.
                let blocks = needsBlocks ? unsafe run.update(bytes.span.bytes) : []
                guard expected.mismatch(digests) == nil,
                    let part = try PartFile.create(name, for: size, with: partFolder.fileAccess, partFolder)
                else {
                    return (digests, blocks, nil)
                }
                try part.file.write(bytes, at: 0)
                let sealed = try part.seal(
                    size: size,
                    digests: digests,
                    modifiedNanoseconds: modifiedNanoseconds,
                    partFolder.fileAccess
                )
                return (digests, blocks, sealed)
            }
        }
        try verify(digests)
        work.unrecordedBlocks = blocks
        guard let sealed else { throw .failed(PartFile.noRoom(for: size)) }
        return sealed
    }
}
