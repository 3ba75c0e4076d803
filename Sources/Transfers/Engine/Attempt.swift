import Curl
import Linux
import Model

/// One attempt at a download: asks, lets the gate judge, takes the body, and goes on until the file is whole.
///
/// It lives in one task. What it decides is decided by the rules in `Model`; what it does here is carry
/// their decisions out in the order that durability needs.
final class Attempt {
    let engine: Engine
    let keeper: any ProgressKeeper
    let meter: ProgressMeter
    let download: Download
    private let origin: OriginClient

    /// What is stored, as the rules see it; its durable bytes are those recorded.
    private(set) var stored: StoredState
    private(set) var source: Download.Source
    private(set) var generation: Int
    private var part: PartFile?
    private var digester: Digester?
    private var restarts: Int
    /// Whether this attempt made a byte durable that was not before.
    private var madeProgress = false

    /// Answers without a new byte that one attempt bears: a short range is asked on, a lie is not asked for ever.
    private static let fruitlessLimit = 4

    init(
        _ assignment: Assignment,
        engine: Engine,
        loop: TransferLoop,
        buffers: BufferSizes,
        keeper: any ProgressKeeper,
        meter: ProgressMeter
    ) {
        self.engine = engine
        self.keeper = keeper
        self.meter = meter
        download = assignment.download
        origin = OriginClient(
            loop: loop,
            settings: engine.settings,
            credentials: assignment.credentials,
            buffers: buffers
        )
        source = download.source
        generation = download.generation
        restarts = download.attempts.restarts
        stored = StoredState(
            durableBytes: assignment.segments.contiguousEnd,
            validator: download.source.validator(total: download.progress.totalBytes, now: engine.time.now),
            expectsDigest: !download.request.expected.digests.isEmpty,
            hostHasNoRanges: assignment.hostRefusesRanges,
            suspectAnswers: download.attempts.suspectAnswers
        )
    }

    func run() async -> AttemptOutcome {
        do throws(AttemptInterruption) {
            try await findPart()
            try await fetch()
            return .published(try await finish())
        } catch {
            return AttemptOutcome(error, madeProgress: madeProgress)
        }
    }

    // MARK: - Asking

    /// Asks until every byte is there.
    private func fetch() async throws(AttemptInterruption) {
        var isPlainRepeat = false
        var fruitless = 0
        while true {
            let plan = isPlainRepeat ? .plain(.restart) : ResumePlan(resuming: stored)
            guard var asked = RequestAsked(plan) else { return }
            asked.isPlainRepeat = isPlainRepeat
            if Task.isCancelled { throw .stopped }

            let before = stored.durableBytes
            let answer = try await origin.ask(download.request.url, for: asked, now: engine.time.now)
            let decision = ResponseGate.judge(asked: asked, stored: stored, response: answer.response)
            let step = try await carryOut(decision, answer)
            if step == .complete { return }
            isPlainRepeat = step == .askPlain
            fruitless = stored.durableBytes > before ? 0 : fruitless + 1
            guard fruitless < Self.fruitlessLimit else {
                throw .failed(DownloadError(.badResponse, message: "The origin's answers lead nowhere."))
            }
        }
    }

    private enum Step {
        case complete, askAgain, askPlain
    }

    private func carryOut(
        _ decision: GateDecision,
        _ answer: OriginClient.Answer
    ) async throws(AttemptInterruption) -> Step {
        switch decision {
        case .accept(let acceptance):
            return try await take(answer, acceptance)
        case .restart(let reason, let body):
            try await restart(reason.rawValue)
            guard let body else { break }
            return try await take(answer, body)
        case .askPlain(_, let flagsHost):
            if flagsHost { try await noteHostRefusesRanges() }
            await answer.exchange.discard()
            return .askPlain
        case .collapseToSingleStream, .retryFromSourceURL, .awaitFinalResponse, .followRedirect:
            // Of several segments, of final URLs and of heads that the transport has dealt with: none arises here.
            break
        case .alreadyComplete:
            await answer.exchange.discard()
            return .complete
        case .retry(let failure):
            await answer.exchange.discard()
            throw .failed(failure)
        case .retrySuspect(let failure):
            await answer.exchange.discard()
            throw .failed(failure, isSuspect: true)
        case .waitForCredentials(let error):
            await answer.exchange.discard()
            throw .failed(TransferFailure(error, failureClass: .credentials))
        case .fail(let error):
            await answer.exchange.discard()
            throw .failed(TransferFailure(error, failureClass: .permanent))
        }
        await answer.exchange.discard()
        return .askAgain
    }

    /// Remembers that ranges of this host cannot be relied on, for other downloads too.
    private func noteHostRefusesRanges() async throws(AttemptInterruption) {
        stored.hostHasNoRanges = true
        // A hint: losing it costs one more refused answer.
        try? await keeper.noteHostRefusesRanges(download.request.url.authority)
    }

    // MARK: - The part file

    /// Opens the part file, or finds that what the record claims is not there and begins anew.
    private func findPart() async throws(AttemptInterruption) {
        guard stored.durableBytes > 0 else { return }
        let name = PartName(id: download.id, generation: generation)
        guard let found = try await PartFile.open(name, holding: stored.durableBytes, engine) else {
            return try await restart("part_missing")
        }
        use(found)
        digester?.advance(to: stored.durableBytes)
    }

    private func use(_ part: PartFile) {
        self.part = part
        digester = Digester(part.file, algorithms: algorithms, pool: engine.pool)
    }

    /// The digests that this file is to get: the service's, and those that the client expects.
    private var algorithms: [DigestAlgorithm] {
        let expected = download.request.expected.digests.map(\.algorithm)
        return DigestAlgorithm.allCases.filter { $0 == engine.settings.digest || expected.contains($0) }
    }

    /// Throws away what is stored, under a new generation, so that no late byte of the old one can do harm.
    private func restart(_ reason: String) async throws(AttemptInterruption) {
        guard restarts < RetryPolicy().maxRestarts else {
            throw .failed(
                DownloadError(.originUnstable, message: "The origin's file changed \(restarts) times on the way.")
            )
        }
        let old = generation
        generation = try await recorded { try await keeper.restart(reason: reason) }
        restarts += 1
        part = nil
        digester = nil
        source = Download.Source()
        stored.durableBytes = 0
        stored.validator = nil
        await engine.discardPart(download.id, generation: old)
    }

    // MARK: - Taking a body

    private func take(
        _ answer: OriginClient.Answer,
        _ acceptance: Acceptance
    ) async throws(AttemptInterruption) -> Step {
        do throws(AttemptInterruption) {
            try check(total: acceptance.total)
            let part = try await preparedPart(for: acceptance)
            let isContinued = acceptance.writeOffset > 0
            source = Download.Source(answer, validator: acceptance.validator, continuing: isContinued ? source : nil)
            stored.validator = acceptance.validator
            meter.begin(at: acceptance.writeOffset, total: acceptance.total)
            return try await receive(answer.exchange, acceptance, into: part)
        } catch {
            await answer.exchange.discard()
            throw error
        }
    }

    private func check(total: Int64?) throws(AttemptInterruption) {
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

    private func preparedPart(for acceptance: Acceptance) async throws(AttemptInterruption) -> PartFile {
        if acceptance.writeOffset == 0 {
            use(try await PartFile.create(PartName(id: download.id, generation: generation), engine))
        }
        guard let part else { throw .failed(.lostPart) }
        if let total = acceptance.total, total - acceptance.writeOffset > Self.smallBytes {
            try await part.allocate(total: total, from: acceptance.writeOffset, engine)
        }
        return part
    }

    /// A body up to this size is taken whole before anything is flushed.
    private static let smallBytes: Int64 = 1 << 20

    private func receive(
        _ exchange: Exchange,
        _ acceptance: Acceptance,
        into part: PartFile
    ) async throws(AttemptInterruption) -> Step {
        let isSmall = acceptance.expectedLength.map { $0 <= Self.smallBytes } ?? false
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let writer = writer(acceptance, into: part, wake: isSmall ? nil : wake)
        let flusher = flusher(part, writer, acceptance)
        let ended: Result<TransferEnd, CurlError>
        if isSmall {
            ended = await exchange.result(into: writer)
        } else {
            ended = try await flusher.run(alongside: exchange, wakes, wake, every: engine.settings.flushInterval)
        }
        return try await conclude(ended, acceptance, writer, flusher)
    }

    private func writer(
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

    private func flusher(_ part: PartFile, _ writer: SegmentWriter, _ acceptance: Acceptance) -> Flusher {
        let (generation, source) = (generation, source)
        let total = acceptance.total
        return Flusher(engine: engine, part: part, writer: writer, keeper: keeper, isOpenEnded: total == nil) { end in
            Checkpoint(
                generation: generation,
                source: source,
                totalBytes: total,
                segments: [Segment(index: 0, start: 0, end: total, durableEnd: end)]
            )
        }
    }

    /// Says what the end of a body means. Good bytes of an unfinished one are kept.
    private func conclude(
        _ ended: Result<TransferEnd, CurlError>,
        _ acceptance: Acceptance,
        _ writer: SegmentWriter,
        _ flusher: Flusher
    ) async throws(AttemptInterruption) -> Step {
        let end = writer.writtenEnd
        let isWhole = acceptance.total == end || (acceptance.total == nil && ended.isSuccess)
        guard !isWhole else {
            try prove(end, acceptance)
            stored.durableBytes = end
            stored.validator?.total = end
            return .complete
        }
        try await flusher.flush()
        madeProgress = madeProgress || end > stored.durableBytes
        stored.durableBytes = end
        if let failure = writer.error { throw .failed(failure) }
        switch ended {
        case .success: return .askAgain
        case .failure(let error) where error.code == .sinkStopped && writer.isFull: return .askAgain
        case .failure(let error) where error.code == .aborted: throw .stopped
        case .failure(let error): throw .failed(TransferFailure(error, stage: .body))
        }
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

    // MARK: - Finishing

    /// Verifies the whole file and moves it to its place.
    private func finish() async throws(AttemptInterruption) -> PublishedFile {
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

    private func finishedPart(size: Int64) async throws(AttemptInterruption) -> PartFile {
        // An empty file has no bytes that a part could have been made for.
        guard let part else {
            guard size == 0 else { throw .failed(.lostPart) }
            let part = try await PartFile.create(PartName(id: download.id, generation: generation), engine)
            use(part)
            return part
        }
        return part
    }

    private func digests(size: Int64) async throws(AttemptInterruption) -> [Digest] {
        guard let digester else { return [] }
        return try await onDisk { () async throws(SystemError) in try await digester.finish(size: size) }
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
