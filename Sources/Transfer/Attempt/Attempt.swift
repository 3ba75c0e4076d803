import Core
import Curl
import HTTPFields
import Linux
import TransferRules

/// Runs one attempt at a download: sends requests, receives bodies, writes the part file and publishes the file.
///
/// Only one task uses it. ``AttemptState`` makes the decisions; this class performs the effects, in the order that
/// durability requires.
///
/// A function that waits until a body has ended keeps its frame in memory, and those of its callers, once for each
/// running download. An inlined callee would add its large values to the frame: hence `@inline(never)`.
final class Attempt {
    let context: AttemptContext
    /// The recorded block digests of the part file, from before this attempt.
    let blocks: [BlockDigest]
    /// Cancels the attempt when it is too slow; nil if no limit is set.
    let lowSpeedMonitor: LowSpeedMonitor?
    var state: AttemptState
    var file: FileDescription
    var generation: Int
    var work = PartWork()
    /// What may be there already, so that it need not be fetched.
    var existing: ExistingFile
    /// The response whose body the next action receives; nil if there is none.
    private var response: OriginClient.Response?

    init(_ assignment: Assignment, _ context: AttemptContext, lowSpeedMonitor: LowSpeedMonitor? = nil) {
        self.context = context
        self.lowSpeedMonitor = lowSpeedMonitor
        let download = assignment.download
        blocks = assignment.blocks
        generation = download.generation
        existing = ExistingFile(download.request, posts: assignment.credentials.postBody != nil)
        let segments = assignment.soundSegments
        file = FileDescription(download.source, hasBytes: !segments.isEmpty)
        var stored = StoredState(
            durableBytes: segments.durableBytes,
            validator: download.source.validator(total: download.progress.totalBytes, now: context.time.now),
            expectsDigest: !download.request.expected.digests.isEmpty,
            // A POST is always repeated from byte 0: no validator proves that two of its responses are the same file.
            hostHasNoRanges: assignment.hostRefusesRanges || assignment.credentials.postBody != nil,
            suspectResponses: download.attempts.suspectResponses
        )
        stored.expectsNoPage = download.request.expectsNoPage
        stored.refusesPage = download.request.refusesPage
        stored.acceptsUnverifiedLength = download.request.acceptsUnverifiedLength
        stored.previousFile = download.source.previousFile?.validator(now: context.time.now)
        // If the client changed the URL, the new URL takes the place of the old one and uses the same validator.
        let known = context.sources.id(of: download.source.url ?? download.request.url)
        state = AttemptState(
            rules: download.request.url.rules,
            stored: stored,
            segments: segments,
            representation: segments.isEmpty ? nil : known ?? (context.sources.count == 1 ? .primary : nil),
            changes: download.attempts.restarts,
            mismatches: download.attempts.mismatches
        )
    }

    var download: Download { context.download }
    var sources: SourceTable { context.sources }
    var meter: ProgressMeter { context.meter }
    var files: any FinishedFiles { context.files }
    var partFolder: PartFolder { context.partFolder }
    var checkpointSink: any CheckpointSink { context.checkpointSink }

    /// The properties that the file must have, such as its size and digests.
    var expected: Expected { file.expected(by: download.request) }

    var hasDigest: Bool { !expected.digests.isEmpty }

    var sourceFacts: SourceFacts { SourceFacts(sources.list, hasDigest: hasDigest) }

    func run() async -> AttemptOutcome {
        do throws(AttemptInterruption) {
            meter.show(sources)
            if let kept = try await prepare() { return kept }
            return try await fetch()
        } catch let interruption {
            await response?.discard()
            return outcome(after: interruption)
        }
    }

    /// Looks for stored bytes and for room.
    ///
    /// - Returns: The outcome, if the file is there already.
    @inline(never)
    private func prepare() async throws(AttemptInterruption) -> AttemptOutcome? {
        if state.stored.durableBytes > 0 { try await findPart() }
        if mayKeepExistingFile, let kept = try await keepExistingFile() { return .published(kept) }
        if let size = knownSize { try await requireRoom(for: size) }
        return nil
    }

    @inline(never)
    private func outcome(after interruption: AttemptInterruption) -> AttemptOutcome {
        let cause = lowSpeedMonitor?.cause(of: interruption) ?? interruption
        if cause.isFollowedByAnother, let part = work.part {
            partFolder.recentParts.record(part.name, now: context.time.now)
        }
        return AttemptOutcome(cause, madeProgress: state.madeProgress)
    }

    /// Performs one action after another until the file is published.
    private func fetch() async throws(AttemptInterruption) -> AttemptOutcome {
        var step = Step.next(.prepareRequest(recording: nil))
        while true {
            switch step {
            case .next(let action): step = try await perform(action)
            case .transfer(let body): step = .next(try await ended(body, await body.result()))
            case .ended(let outcome): return outcome
            }
        }
    }

    private enum Step {
        case next(AttemptAction)
        /// Receive a body. ``fetch()`` does that itself, so that only its own small frame waits.
        case transfer(BodyTransfer)
        case ended(AttemptOutcome)
    }

    @inline(never)
    private func perform(_ action: AttemptAction) async throws(AttemptInterruption) -> Step {
        switch action {
        case .prepareRequest(let finding):
            if let finding { await recordFinding(finding) }
            return .next(nextRequest())
        // These two take the large values out of the action themselves: here they would be in one more frame.
        case .send: return .next(try await send(action))
        case .receive: return try await receive(action)
        case .readMetalink, .restart, .keepFile, .finish, .end: return try await performRare(action)
        }
    }

    /// Performs an action that most downloads need at most once, apart from the larger values of those that all need.
    @inline(never)
    private func performRare(_ action: AttemptAction) async throws(AttemptInterruption) -> Step {
        switch action {
        case .prepareRequest, .send, .receive: return .next(action)
        case .readMetalink: return .next(try await readMetalink())
        case .restart(let restart): return .next(try await self.restart(restart))
        case .keepFile: return try await keepFile()
        case .finish: return try await finishFile()
        case .end(let failure): throw .source(failure)
        }
    }

    @inline(never)
    private func keepFile() async throws(AttemptInterruption) -> Step {
        if let kept = try await keepKnownFile() { return .ended(.published(kept)) }
        return .next(state.keptFileChanged(sourceFacts))
    }

    @inline(never)
    private func finishFile() async throws(AttemptInterruption) -> Step {
        if let kept = existing.kept { return .ended(.published(kept)) }
        do throws(AttemptInterruption) {
            return .ended(.published(try await finish()))
        } catch {
            return .next(try finishFailed(error))
        }
    }

    @inline(never)
    private func recordFinding(_ finding: SourceFinding) async {
        switch finding {
        case .failed(let source): sources.recordFailure(source)
        case .refusesRanges(let source):
            // The record is only an optimisation. If it is lost, one more range request is refused.
            try? await checkpointSink.recordHostRefusesRanges(sources.url(of: source).authority)
        }
    }

    @inline(never)
    private func nextRequest() -> AttemptAction {
        state.request(
            RequestFacts(
                sourceFacts,
                ownValidator: sources.validator(of: state.lead),
                ifRange: context.hosts.ifRange(of: sources.url(of: state.lead).authority),
                known: existing.version,
                now: context.time.now
            )
        )
    }

    // MARK: - Requests

    /// - Parameter action: To send a request; any other one is returned.
    @inline(never)
    private func send(_ action: AttemptAction) async throws(AttemptInterruption) -> AttemptAction {
        if Task.isCancelled { throw .stopped }
        guard let sending = sending(action) else { return action }
        let ended = await context.origin.result(of: sending)
        let next = try responded(ended, to: action)
        if case .success(let received) = ended {
            if next.usesResponse { response = received } else { await received.discard() }
        }
        return next
    }

    @inline(never)
    private func sending(_ action: AttemptAction) -> OriginClient.Sending? {
        guard case .send(let request, _) = action else { return nil }
        return context.origin.sending(sources.url(of: state.lead), for: request, storedFrom: storedFrom)
    }

    /// Passes the response, or the failure of the request, to the state machine.
    @inline(never)
    private func responded(
        _ ended: Result<OriginClient.Response, AttemptInterruption>,
        to action: AttemptAction
    ) throws(AttemptInterruption) -> AttemptAction {
        guard case .send(let request, let stored) = action else { return action }
        switch ended {
        case .success(let received): return decide(received, request, stored)
        case .failure(let interruption): return try requestFailed(interruption, request)
        }
    }

    /// The final URL of the stored bytes, if the lead source supplied them.
    private var storedFrom: DownloadURL? {
        state.lead == state.representation ? file.source.finalURL : sources.finalURL(of: state.lead)
    }

    /// Passes a failed request to the state machine. Some failures concern the file: it is shorter than the requested
    /// offset, or the server cannot start there.
    private func requestFailed(
        _ interruption: AttemptInterruption,
        _ request: SentRequest
    ) throws(AttemptInterruption) -> AttemptAction {
        switch interruption {
        case .source(.failed(let failure)):
            let final = state.rules.finalFailure(failure, hasBytes: state.stored.durableBytes > 0)
            let decision = state.rules.validate(request: request, failure: failure)
            return state.requestFailed(.failed(final), decision, sourceFacts)
        case .source(.deferred(let wait)): return state.requestFailed(.deferred(wait), nil, sourceFacts)
        case .unrecorded, .stopped, .lost: throw interruption
        }
    }

    /// Validates a response and passes it to the state machine.
    private func decide(
        _ response: OriginClient.Response,
        _ request: SentRequest,
        _ stored: StoredState
    ) -> AttemptAction {
        let decision = context.origin.validate(response, request: request, stored: stored)
        let facts = ResponseFacts(
            sourceFacts,
            contradictsDigests: response.metadata.digests.contradict(expected.digests),
            isMetalink: isMetalink(response),
            authority: response.finalURL.authority
        )
        let action = state.responded(decision, facts)
        if case .keepFile = action {
            existing.notModified = response.metadata.status
        } else if case .accept = decision, !action.usesResponse {
            // The validator matched, but the response is of another file.
            response.entry?.recordDecision(.restart(.etagChanged, withThisBody: nil))
        }
        return action
    }

    /// Prepares the transfer of the open response's body. A small body is received here.
    ///
    /// - Parameter action: To receive a body; any other one is returned.
    @inline(never)
    private func receive(_ action: AttemptAction) async throws(AttemptInterruption) -> Step {
        guard case .receive(let body, let fromStart) = action else { return .next(action) }
        let response = try useResponse()
        do throws(AttemptInterruption) {
            if fromStart, mayKeepAnotherFile, try await keepsExistingFile(insteadOf: response, body) {
                await response.discard()
                return .next(.finish)
            }
            if let transfer = try await prepare(response, body, fromStart: fromStart) { return .transfer(transfer) }
            return .next(state.bodyEnded(try await receiveInMemory(response, body), sourceFacts))
        } catch {
            await response.discard()
            return .next(try responseFailed(error))
        }
    }

    /// Passes the end of a transfer to the state machine.
    ///
    /// - Parameter isComplete: Whether every byte was received, or why the transfer ended.
    @inline(never)
    private func ended(
        _ body: BodyTransfer,
        _ isComplete: Result<Bool, AttemptInterruption>
    ) async throws(AttemptInterruption) -> AttemptAction {
        do throws(AttemptInterruption) {
            return state.bodyEnded(try finish(body, isComplete), sourceFacts)
        } catch {
            await body.first.discard()
            return try responseFailed(error)
        }
    }

    /// Reads the body of the open response as a Metalink document.
    @inline(never)
    private func readMetalink() async throws(AttemptInterruption) -> AttemptAction {
        let response = try useResponse()
        do throws(AttemptInterruption) {
            return state.metalinkRead(representation: try await readMetalink(response))
        } catch {
            return try responseFailed(error)
        }
    }

    private func useResponse() throws(AttemptInterruption) -> OriginClient.Response {
        guard let response else { throw .failed(DownloadError(.internal, message: "No response is open.")) }
        self.response = nil
        return response
    }

    /// Passes the failure of a response to the state machine.
    @inline(never)
    private func responseFailed(_ interruption: AttemptInterruption) throws(AttemptInterruption) -> AttemptAction {
        guard case .source(let failure) = interruption else { throw interruption }
        return state.failed(failure, sourceFacts)
    }

    @inline(never)
    private func finishFailed(_ interruption: AttemptInterruption) throws(AttemptInterruption) -> AttemptAction {
        guard case .source(.failed(let failure)) = interruption else { throw interruption }
        let action = state.finishFailed(failure, sourceFacts, contributors: sources.contributors)
        if case .restart = action {
            file.carry(expected.digests)
            meter.enter(.probing)
        }
        return action
    }

    /// Drops the stored bytes and starts a new generation. Late writes to the old generation then do no harm.
    @discardableResult
    func restart(_ restart: AttemptRestart) async throws(AttemptInterruption) -> AttemptAction {
        let old = generation
        generation = try await mappingSinkErrors {
            try await checkpointSink.restart(reason: restart.reason, isChange: restart.isChange)
        }
        work = PartWork()
        meter.restart()
        sources.restart()
        file.restart(isChange: restart.isChange, total: state.stored.total)
        let action = state.restarted(restart, sourceFacts)
        try? await files.discardPart(PartName(id: download.id, generation: old))
        return action
    }
}

/// The open part file of one generation, and its data that is not recorded yet.
struct PartWork {
    /// What makes the bytes of ``part`` durable.
    var storage: (any PartStorage)?
    var part: PartFile? { storage?.part }
    var digester: Digester?
    /// The complete bytes of a small file, before its part file exists.
    var bytes: [UInt8]?
    /// Digests of bytes that this attempt wrote but has not recorded yet.
    var unrecordedBlocks: [BlockDigest] = []
    /// The unfinished blocks of the writers. The writers of the next response continue them.
    var runs: [BlockRun] = []
}
