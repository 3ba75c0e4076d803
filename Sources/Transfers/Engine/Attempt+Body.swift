import Curl
import Linux
import Model

/// The body of an answer: taken, flushed on the way, and judged by its end.
extension Attempt {
    /// A body up to this size is taken whole before anything is flushed.
    static let smallBytes: Int64 = 1 << 20

    func take(
        _ answer: OriginClient.Answer,
        _ acceptance: Acceptance
    ) async throws(AttemptInterruption) -> Step {
        // Nothing here compares bytes that are stored already with their repetition.
        precondition(acceptance.overlapToCompare == 0, "an overlap that was not asked for")
        do throws(AttemptInterruption) {
            try check(total: acceptance.total)
            if let length = memoryLength(acceptance) {
                begin(answer, acceptance)
                return try await receiveInMemory(answer.exchange, acceptance, length: length)
            }
            let part = try await preparedPart(for: acceptance)
            begin(answer, acceptance)
            return try await receive(answer.exchange, acceptance, into: part)
        } catch {
            await answer.exchange.discard()
            throw error
        }
    }

    /// Notes what the bytes to come are of.
    private func begin(_ answer: OriginClient.Answer, _ acceptance: Acceptance) {
        let isContinued = acceptance.writeOffset > 0
        source = Download.Source(answer, validator: acceptance.validator, continuing: isContinued ? source : nil)
        stored.validator = acceptance.validator
        meter.begin(at: acceptance.writeOffset, total: acceptance.total)
    }

    func check(total: Int64?) throws(AttemptInterruption) {
        guard let total else { return }
        if let expected = download.request.expected.sizeBytes, expected != total {
            throw .failed(
                DownloadError(.sizeMismatch, message: "The origin's file has \(total) bytes, not \(expected).")
            )
        }
        if let limit = download.request.maxBytes, total > limit {
            throw .failed(DownloadError(.tooLarge, message: "The file has \(total) bytes, more than \(limit)."))
        }
    }

    private func receive(
        _ exchange: Exchange,
        _ acceptance: Acceptance,
        into part: PartFile
    ) async throws(AttemptInterruption) -> Step {
        let isSmall = acceptance.expectedLength.map { $0 <= Self.smallBytes } ?? false
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let writer = writer(acceptance, into: part, wake: isSmall ? nil : wake)
        let flusher = flusher(part, writer, acceptance)
        // However it ends: what was recorded on the way is progress.
        defer { note(recorded: writer.recorded) }
        let ended: Result<TransferEnd, CurlError>
        if isSmall {
            ended = await exchange.result(into: writer)
        } else {
            ended = try await flusher.run(alongside: exchange, wakes, wake, every: engine.settings.flushInterval)
        }
        return try await conclude(ended, acceptance, writer, flusher)
    }

    func writer(
        _ acceptance: Acceptance,
        into part: PartFile,
        wake: AsyncStream<Void>.Continuation?
    ) -> SegmentWriter {
        let end = acceptance.expectedLength.map { acceptance.bodyOffset + $0 }
        let pool = engine.pool
        return SegmentWriter(
            file: part.file,
            from: acceptance.writeOffset,
            to: end,
            maxBytes: download.request.maxBytes,
            window: engine.settings.flushBytes,
            wake: wake,
            writeback: { offset, length in
                // A hint to the kernel; the flush that counts reports what goes wrong.
                pool.submit { try? part.file.startWriteback(offset: offset, length: length) }
            },
            onAdvance: { [digester, meter] end in
                digester?.advance(to: end)
                meter.advance(to: end)
            }
        )
    }

    func flusher(_ part: PartFile, _ writer: SegmentWriter, _ acceptance: Acceptance) -> Flusher {
        let (generation, source, isProgress) = (generation, source, !isRegaining)
        let total = acceptance.total
        return Flusher(engine: engine, part: part, writer: writer, keeper: keeper, isOpenEnded: total == nil) { end in
            Checkpoint(
                generation: generation,
                source: source,
                totalBytes: total,
                segments: [Segment(index: 0, start: 0, end: total, durableEnd: end)],
                isProgress: isProgress
            )
        }
    }

    /// Says what the end of a body means. Good bytes of an unfinished one are kept.
    func conclude(
        _ ended: Result<TransferEnd, CurlError>,
        _ acceptance: Acceptance,
        _ writer: SegmentWriter,
        _ flusher: Flusher
    ) async throws(AttemptInterruption) -> Step {
        let end = writer.writtenEnd
        let isWhole = acceptance.total == end || (acceptance.total == nil && ended.isSuccess)
        if isWhole { return try concludeWhole(end, acceptance) }
        try await flusher.flush()
        if let failure = writer.error { throw .failed(failure) }
        switch ended {
        case .success: return .askAgain
        case .failure(let error) where error.code == .sinkStopped && writer.isFull: return .askAgain
        case .failure(let error) where error.code == .aborted: throw .stopped
        case .failure(let error): throw .failed(TransferFailure(error, stage: .body))
        }
    }

    func concludeWhole(_ size: Int64, _ acceptance: Acceptance) throws(AttemptInterruption) -> Step {
        try prove(size, acceptance)
        stored.durableBytes = size
        stored.validator?.total = size
        return .complete
    }

    /// A body that was cut cannot always be told from a whole one. Then something else must speak for it.
    private func prove(_ size: Int64, _ acceptance: Acceptance) throws(AttemptInterruption) {
        try check(total: size)
        let expected = download.request.expected
        let isProven =
            acceptance.isLengthProvable || expected.sizeBytes == size || !expected.digests.isEmpty
            || download.request.acceptsUnverifiedLength
        guard isProven else {
            throw .failed(
                DownloadError(
                    .lengthUnverified,
                    message: "Nothing proves that the body was not cut after \(size) bytes."
                )
            )
        }
    }
}

extension Exchange {
    /// The end of the body as a value.
    func result(into sink: any BodySink) async -> Result<TransferEnd, CurlError> {
        do {
            return .success(try await receive(into: sink))
        } catch {
            return .failure(error)
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }
}
