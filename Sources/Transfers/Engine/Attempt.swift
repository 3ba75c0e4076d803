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
    let rate: DownloadRate
    let download: Download
    let buffers: BufferSizes
    let origin: OriginClient

    /// What is stored, as the rules see it; its durable bytes are those recorded.
    var stored: StoredState
    var segments: [Segment]
    var source: Download.Source
    var generation: Int
    var part: PartFile?
    var digester: Digester?
    /// The whole of a small file, before it has a part file.
    var bytes: [UInt8]?
    var changes: Int
    /// Whether the bytes that come make up for others that were thrown away, though the file had not changed.
    var isRegaining = false
    /// Whether this attempt made a byte durable that the download had not had before.
    private(set) var madeProgress = false

    /// Answers without a new byte that one attempt bears: a short range is asked on, a lie is not asked for ever.
    private static let fruitlessLimit = 4

    init(
        _ assignment: Assignment,
        engine: Engine,
        loop: TransferLoop,
        buffers: BufferSizes,
        keeper: any ProgressKeeper,
        meter: ProgressMeter,
        rate: DownloadRate
    ) {
        self.engine = engine
        self.keeper = keeper
        self.meter = meter
        self.rate = rate
        self.buffers = buffers
        download = assignment.download
        origin = OriginClient(
            loop: loop,
            settings: engine.settings,
            names: engine.names,
            credentials: assignment.credentials,
            buffers: buffers,
            hosts: engine.hosts,
            download: assignment.download.id
        )
        source = download.source
        generation = download.generation
        changes = download.attempts.restarts
        segments = assignment.segments.believed(total: download.progress.totalBytes)
        stored = StoredState(
            durableBytes: segments.durableBytes,
            validator: download.source.validator(total: download.progress.totalBytes, now: engine.time.now),
            expectsDigest: !download.request.expected.digests.isEmpty,
            hostHasNoRanges: assignment.hostRefusesRanges,
            suspectAnswers: download.attempts.suspectAnswers
        )
    }

    func run() async -> AttemptOutcome {
        do throws(AttemptInterruption) {
            try await findPart()
            try await requireRoom()
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
            let plan = isPlainRepeat ? .plain : nextRequest
            guard var asked = RequestAsked(plan) else { return }
            asked.isPlainRepeat = isPlainRepeat
            if Task.isCancelled { throw .stopped }

            let before = stored.durableBytes
            let answer = try await ask(asked)
            let decision = origin.judge(answer, asked: asked, stored: stored)
            let step = try await carryOut(decision, answer, isRange: asked.range != nil)
            if step == .complete { return }
            isPlainRepeat = step == .askPlain
            fruitless = stored.durableBytes > before ? 0 : fruitless + 1
            guard fruitless < Self.fruitlessLimit else {
                throw .failed(DownloadError(.badResponse, message: "The origin's answers lead nowhere."))
            }
        }
    }

    private func ask(_ asked: RequestAsked) async throws(AttemptInterruption) -> OriginClient.Answer {
        try await origin.ask(
            download.request.url,
            for: asked,
            storedFrom: source.finalURL,
            now: engine.time.now
        )
    }

    /// What follows an answer.
    enum Step {
        case complete, askAgain, askPlain
    }

    private func carryOut(
        _ decision: GateDecision,
        _ answer: OriginClient.Answer,
        isRange: Bool
    ) async throws(AttemptInterruption) -> Step {
        switch decision {
        case .accept(let acceptance):
            return try await take(answer, acceptance, beginsAnew: !isRange)
        case .restart(let reason, let body):
            try await restart(reason.rawValue, isChange: reason.isChange)
            guard let body else { break }
            return try await take(answer, body, beginsAnew: true)
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
            throw .failed(failure.answered(by: answer.finalURL))
        case .retrySuspect(let failure):
            await answer.exchange.discard()
            throw .failed(failure.answered(by: answer.finalURL), isSuspect: true)
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

    /// Asks for the first bytes that are missing.
    private var nextRequest: ResumePlan {
        guard let total = stored.total else { return ResumePlan(resuming: stored, at: segments.contiguousEnd) }
        let gap = SegmentPlan(total: total, stored: segments).firstGap ?? total..<total
        return ResumePlan(resuming: stored, at: gap.lowerBound, through: gap.upperBound - 1)
    }

    /// Notes what is durable and recorded.
    func note(recorded segments: [Segment]) {
        self.segments = segments
        let durableBytes = segments.durableBytes
        guard durableBytes > stored.durableBytes else { return }
        stored.durableBytes = durableBytes
        if !isRegaining { madeProgress = true }
    }
}

extension TransferFailure {
    /// The same, with the host that said so.
    fileprivate func answered(by url: SourceURL) -> Self {
        var failure = self
        failure.authority = url.authority
        return failure
    }
}
