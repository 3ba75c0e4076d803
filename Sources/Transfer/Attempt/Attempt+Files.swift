import Core
import Curl
import Linux
import TransferRules

/// What is different with a server of files: FTP and SFTP.
extension AttemptInterruption {
    /// The body broke off.
    static func interrupted(by error: CurlError) -> Self {
        error.code == .aborted ? .stopped : .failed(TransferFailure(error, stage: .body))
    }
}

extension Attempt {
    /// Whether the file comes from one. It has a single source then.
    var isFile: Bool { download.request.url.isFile }

    /// How the server is taken at its word on where its bytes begin.
    var fileTrust: ResumeOffsetTrust {
        let scheme = URLScheme(download.request.url.scheme)
        return scheme.map { ResumeOffsetTrust($0, expectsDigest: !expected.digests.isEmpty) } ?? .never
    }

    /// Looks whether a failure is an answer: the file ends before the byte that was asked for, or the server cannot
    /// begin there.
    ///
    /// - Returns: Whether to ask for the whole file, and keep the bytes at hand until it comes.
    func goOn(after interruption: AttemptInterruption, _ asked: SentRequest) async throws(AttemptInterruption) -> Bool {
        guard isFile, case .failed(let failure, _) = interruption else { throw interruption }
        switch FileResponseValidation.validate(asked: asked, failure: failure) {
        case .restart(let reason, _):
            try await restart(reason.rawValue, isChange: reason.isChange)
            return false
        case .requestWithoutRange:
            try await recordHostRefusesRanges()
            return true
        default:
            throw .failed(FileResponseValidation.settled(failure, hasBytes: stored.durableBytes > 0))
        }
    }

    /// Whether a whole file needs no further word. Between the server's word on the file and the first byte after the
    /// ones at hand it may have been replaced: a file that was put together is asked about once more.
    func isProven(_ answer: OriginClient.Answer, _ asked: SentRequest) -> Bool {
        guard answer.file != nil, let range = asked.range, range.first < stored.durableBytes else { return true }
        segments = [Segment(index: 0, start: 0, end: stored.durableBytes, durableEnd: stored.durableBytes)]
        return false
    }
}

/// A small file: held in memory until it is whole, then made, written and flushed in one job.
extension Attempt {
    /// The length of a body that is worth holding in memory; nil for one that goes to the disk as it comes.
    func memoryLength(_ acceptance: AcceptedBody) -> Int? {
        guard let length = acceptance.expectedLength, length == acceptance.total else { return nil }
        // As much as is gathered for one write anyway.
        return length <= Int64(buffers.gather) ? Int(length) : nil
    }

    func receiveInMemory(
        _ answer: OriginClient.Answer,
        _ acceptance: AcceptedBody,
        length: Int
    ) async throws(AttemptInterruption) -> Step {
        let exchange = answer.exchange
        let throttle = engine.limiter.throttle(for: rate, authority: answer.finalURL.authority) { [weak exchange] in
            exchange?.resume()
        }
        let body = MemoryBody(length: length, throttle: throttle) { [meter] in meter.advance(to: $0) }
        let ended = await answer.result(into: body)
        let bytes = body.bytes
        sources.recordReceived(Int64(bytes.count), from: lead)
        let isFull = bytes.count == length
        let unended = isFile ? SegmentConnection.End(ofUnended: ended, isFull: isFull) : nil
        guard !isFull || unended != nil else {
            self.bytes = bytes
            return try finishWhole(Int64(length), acceptance)
        }
        if !isFull, case .failure(let error) = ended, error.code != .aborted {
            answer.pass.record(TransferFailure(error, stage: .body), at: .body, afterBytes: Int64(bytes.count))
        }
        // What came of a body that was cut is kept as any other's: the next request asks for the rest.
        let part = try await preparedPart(for: acceptance, startsFromZero: true)
        let transfer = transfer(of: acceptance, into: part)
        return try finish(
            await transfer.write(bytes, of: answer.finalURL.authority, endedBy: ended, unended),
            transfer,
            acceptance
        )
    }

    /// Writes the file that was held in memory, unless its digests are not those expected.
    func sealBytes(_ bytes: [UInt8]) async throws(AttemptInterruption) -> VerifiedPartFile {
        let name = PartName(id: download.id, generation: generation)
        let (algorithms, expected) = (algorithms, expected)
        let size = Int64(bytes.count)
        let needsBlocks = algorithms.isEmpty && checkpointSink.storesBlocks
        let (digests, blocks, sealed) = try await onDisk { () async throws(SystemError) in
            try await engine.pool.run {
                [folders = engine.folders, space = engine.space, mode = engine.settings.fileMode]
                () throws(SystemError) in
                let digests = algorithms.map { algorithm in
                    var hasher = FileHasher(algorithm)
                    hasher.update(bytes[...])
                    return hasher.digest
                }
                var run = BlockRun(from: 0)
                // The array outlives the call. A digest of the whole says the same, and costs no row.
                let blocks = needsBlocks ? unsafe run.update(bytes.span.bytes) : []
                guard expected.mismatch(digests) == nil,
                    let part = try PartFile.create(name, for: size, folders, space)
                else {
                    return (digests, blocks, VerifiedPartFile?.none)
                }
                try part.file.write(bytes, at: 0)
                return (digests, blocks, try part.seal(size: size, digests: digests, mode: mode))
            }
        }
        try verify(digests)
        unrecordedBlocks = blocks
        guard let sealed else { throw .failed(PartFile.noRoom(for: size)) }
        return sealed
    }
}
