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
    /// Who ends the attempt when it is too slow; nil where nobody does.
    let speedWatch: SpeedWatch?

    /// What is stored, as the rules see it; its durable bytes are those recorded.
    var stored: StoredState
    var segments: [Segment]
    /// The digests of its bytes, as they were recorded before this attempt.
    let blocks: [BlockDigest]
    /// Those of bytes that this attempt has written, and that are not recorded yet.
    var unrecordedBlocks: [BlockDigest] = []
    /// The unfinished blocks of its writers. The writers of the next answer continue with them.
    var runs: [BlockRun] = []
    var source: Download.Source
    var generation: Int
    var part: PartFile?
    var digester: Digester?
    /// The whole of a small file, before it has a part file.
    var bytes: [UInt8]?
    var changes: Int
    /// Whether the bytes that come make up for others that were thrown away, though the file had not changed.
    var isRegaining = false
    /// Where the file can be fetched from.
    let sources: SourceBook
    /// The source that the attempt itself asks; further connections may ask others.
    var lead: SourceID
    /// The source that said what the file is; nil before one has, or where it is none of the sources any more.
    var representation: SourceID?
    /// Whether the lead is asked for the file from its start, whatever is at hand.
    var beginsAnew = false
    var failover = Failover()
    var suspects: Set<TransferFailure> = []
    /// In what the sources' files differ from the one begun.
    var differences: [SourceID: RestartReason] = [:]
    /// Whole files that were not what a digest says.
    var mismatches: Int
    /// The sources that brought such a file by themselves.
    var wrongAlone: Set<SourceID> = []
    /// What an earlier attempt had brought, from whichever source.
    let resumedBytes: Int64
    /// The digests that a file had not and that hold for the one that comes in its place, whoever brings it.
    var pledged: [Digest] = []
    var metalink: Metalink?
    var isMetalinkRead: Bool
    /// URLs that the origin named, to be kept with the bytes.
    var named: [String]
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
        rate: DownloadRate,
        log: RequestLog?,
        speedWatch: SpeedWatch? = nil
    ) {
        self.engine = engine
        self.speedWatch = speedWatch
        self.keeper = keeper
        self.meter = meter
        self.rate = rate
        self.buffers = buffers
        download = assignment.download
        origin = OriginClient(
            loop: loop,
            sharingLoop: engine.sharingLoop,
            settings: engine.settings,
            names: engine.names,
            credentials: assignment.credentials,
            credentialURL: assignment.download.request.url,
            buffers: buffers,
            hosts: engine.hosts,
            download: assignment.download.id,
            rate: rate,
            time: engine.time,
            log: log
        )
        source = download.source
        generation = download.generation
        changes = download.attempts.restarts
        blocks = assignment.blocks
        segments = assignment.segments.believed(total: download.progress.totalBytes)
        let hasBytes = !segments.isEmpty
        sources = SourceBook(download.sourceURLs(hasBytes: hasBytes), time: engine.time)
        // A URL that was changed since stands for the one before: its answer is judged by the same validator.
        let known = sources.id(of: download.source.url ?? download.request.url.text)
        representation = hasBytes ? known ?? (sources.count == 1 ? .primary : nil) : nil
        lead = representation ?? .primary
        mismatches = download.attempts.mismatches
        resumedBytes = segments.durableBytes
        isMetalinkRead = hasBytes && download.source.isMetalink
        named = hasBytes ? download.source.mirrors : []
        stored = StoredState(
            durableBytes: segments.durableBytes,
            validator: download.source.validator(total: download.progress.totalBytes, now: engine.time.now),
            expectsDigest: !download.request.expected.digests.isEmpty,
            // What a POST answers is asked for as a whole: whether it is the same twice, no validator says.
            hostHasNoRanges: assignment.hostRefusesRanges || assignment.credentials.postBody != nil,
            suspectAnswers: download.attempts.suspectAnswers
        )
        stored.expectsNoPage = download.request.expectsNoPage
        stored.former = download.source.former?.validator(now: engine.time.now)
    }

    func run() async -> AttemptOutcome {
        do throws(AttemptInterruption) {
            meter.show(sources)
            try await findPart()
            try await requireRoom()
            while true {
                try await fetch()
                do throws(AttemptInterruption) {
                    return .published(try await finish())
                } catch {
                    try await beginClean(after: error)
                }
            }
        } catch let interruption {
            let error = speedWatch?.cause(of: interruption) ?? interruption
            if error.isFollowedByAnother, let part { engine.recentParts.note(part.name, now: engine.time.now) }
            return AttemptOutcome(error, madeProgress: madeProgress)
        }
    }

    // MARK: - Asking

    /// Asks one source after the other until every byte is there.
    private func fetch() async throws(AttemptInterruption) {
        while true {
            do throws(AttemptInterruption) {
                if try await fetchFromLead() { return }
                failover.noteDifference(of: lead)
            } catch {
                try noteFailure(error)
            }
            try turnToNext()
        }
    }

    /// Asks until every byte is there.
    ///
    /// - Returns: false where the lead has another file than the one begun, or cannot prove that it is the same.
    private func fetchFromLead() async throws(AttemptInterruption) -> Bool {
        var isPlainRepeat = false
        var fruitless = 0
        while true {
            let state = askedState
            let plan = isPlainRepeat || beginsAnew ? .plain : nextRequest(state)
            if isJoining, !beginsAnew, plan == .plain { return false }
            guard var asked = RequestAsked(plan) else { return true }
            asked.isPlainRepeat = isPlainRepeat
            if Task.isCancelled { throw .stopped }

            let before = stored.durableBytes
            let answer: OriginClient.Answer
            do throws(AttemptInterruption) {
                answer = try await ask(asked)
            } catch {
                fruitless += 1
                guard fruitless < Self.fruitlessLimit else { throw error }
                isPlainRepeat = try await goOn(after: error, asked)
                continue
            }
            let decision = origin.judge(answer, asked: asked, stored: state)
            if isMetalink(answer, decision) {
                try await readMetalink(answer)
                continue
            }
            if differs(decision, answer) {
                if case .accept = decision { answer.entry?.judge(.restart(.etagChanged, withThisBody: nil)) }
                await answer.discard()
                return false
            }
            let step = try await carryOut(decision, answer, isRange: asked.range != nil)
            if step == .complete, isProven(answer, asked) { return true }
            isPlainRepeat = step == .askPlain
            fruitless = stored.durableBytes > before ? 0 : fruitless + 1
            guard fruitless < Self.fruitlessLimit else {
                throw .failed(DownloadError(.badResponse, message: "The origin's answers lead nowhere."))
            }
        }
    }

    private func ask(_ asked: RequestAsked) async throws(AttemptInterruption) -> OriginClient.Answer {
        try await origin.ask(
            sources.url(of: lead),
            for: asked,
            storedFrom: lead == representation ? source.finalURL : sources.finalURL(of: lead)
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
            let known = beginsAnew ? differences[lead] : reason
            let isOwn = lead == representation || sources.count == 1
            // Of another source's file nobody can say that it has changed.
            try await restart(known?.rawValue ?? "source_failed", isChange: isOwn && known?.isChange == true)
            beginsAnew = false
            guard let body else { break }
            return try await take(answer, body, beginsAnew: true)
        case .askPlain(_, let flagsHost):
            if flagsHost { try await noteHostRefusesRanges() }
            await answer.discard()
            return .askPlain
        case .askOtherwise:
            // What the host looks at is remembered, and chooses the condition of the next request.
            break
        case .collapseToSingleStream, .awaitFinalResponse, .followRedirect:
            // Of several segments, and of heads that the transport has dealt with: none arises here.
            break
        case .alreadyComplete:
            await answer.discard()
            return .complete
        case .retry(let failure):
            await answer.discard()
            throw .failed(failure.answered(by: answer.finalURL))
        case .retrySuspect(let failure):
            await answer.discard()
            throw .failed(failure.answered(by: answer.finalURL), isSuspect: true)
        case .waitForCredentials(let error):
            await answer.discard()
            throw .failed(TransferFailure(error, failureClass: .credentials))
        case .fail(let error):
            await answer.discard()
            throw .failed(TransferFailure(error, failureClass: .permanent))
        }
        await answer.discard()
        return .askAgain
    }

    /// Remembers that ranges of this host cannot be relied on, for other downloads too.
    func noteHostRefusesRanges() async throws(AttemptInterruption) {
        stored.hostHasNoRanges = true
        // A hint: losing it costs one more refused answer.
        try? await keeper.noteHostRefusesRanges(sources.url(of: lead).authority)
    }

    /// Asks for the first bytes that are missing.
    private func nextRequest(_ state: StoredState) -> ResumePlan {
        if isFile { return FileGate.plan(resuming: state, at: segments.contiguousEnd, trust: fileTrust) }
        guard let total = stored.total else { return ResumePlan(resuming: state, at: segments.contiguousEnd) }
        let gap = SegmentPlan(total: total, stored: segments).firstGap ?? total..<total
        return ResumePlan(resuming: state, at: gap.lowerBound, through: gap.upperBound - 1)
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

extension Download {
    /// Where the file can be fetched from. What the origin named counts as long as bytes of it are at hand; for a file
    /// that begins anew it is asked again.
    fileprivate func sourceURLs(hasBytes: Bool) -> [SourceURL] {
        // What comes from a server of files is compared with nothing else.
        if request.url.isFile { return [request.url] }
        let own = [request.url] + request.mirrors.compactMap { try? SourceURL.parse($0).url }
        guard hasBytes else { return own }
        let named = source.mirrors.compactMap { try? SourceURL.parse($0).url }
        return source.isMetalink && !named.isEmpty ? named : own + named
    }
}
