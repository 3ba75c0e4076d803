import Core

/// The events of an attempt.
extension AttemptState {
    /// Plans the next request to the lead source.
    public mutating func request(_ facts: RequestFacts) -> AttemptAction {
        guard case .idle = phase else { return .end(.outOfOrder) }
        let state = requestState(facts)
        let isPlain = repeatsWithoutRange || mode == .replace
        let plan: ResumePlan =
            isPlain ? .plain : rules.plan(resuming: state, segments: segments, hasDigest: facts.sources.hasDigest)
        if comparesWithOtherSource, mode == .resume, plan == .plain {
            failover.recordDifference(of: lead)
            return switchToNextSource(facts.sources)
        }
        guard var request = SentRequest(plan) else { return finish() }
        request.isRepeatWithoutRange = repeatsWithoutRange
        // Another source has its own validators, and stored bytes are continued or replaced.
        if request.range == nil, lead == .primary, stored.durableBytes == 0 { request.known = facts.known }
        phase = .requested(request, durableBytes: stored.durableBytes)
        return .send(request, state)
    }

    /// The request failed before a response arrived.
    ///
    /// - Parameter decision: The conclusion about the file; nil if there is none
    ///   (``SourceScheme/validate(request:failure:)``).
    public mutating func requestFailed(
        _ failure: SourceFailure,
        _ decision: ResponseDecision?,
        _ sources: SourceFacts
    ) -> AttemptAction {
        guard case .requested = phase else { return .end(.outOfOrder) }
        guard requestsWithoutProgress + 1 < Self.requestsWithoutProgressLimit, let decision else {
            return failed(failure, sources)
        }
        switch decision {
        case .restart(let reason, _): return restart(AttemptRestart(reason))
        case .requestWithoutRange:
            stored.hostHasNoRanges = true
            return requestAgain(sources, withoutRange: true, recording: .refusesRanges(lead))
        default: return failed(failure, sources)
        }
    }

    /// The header of a response was received and validated.
    public mutating func responded(_ decision: ResponseDecision, _ facts: ResponseFacts) -> AttemptAction {
        guard case .requested(let request, _) = phase else { return .end(.outOfOrder) }
        if facts.isMetalink, decision.acceptsBody { return .readMetalink }
        if differs(decision, facts) {
            failover.recordDifference(of: lead)
            return switchToNextSource(facts.sources)
        }
        switch decision {
        case .accept(let body): return .receive(body, fromStart: request.range == nil)
        case .restart(let reason, let body):
            let known = mode == .replace ? differences[lead] : reason
            // A different file from another source does not mean that the origin's file has changed.
            let isOwn = lead == representation || facts.sources.list.entries.count == 1
            let isChange = isOwn && known?.isChange == true
            return restart(AttemptRestart(known?.rawValue ?? "source_failed", isChange: isChange, body: body))
        case .requestWithoutRange(_, let flagsHost):
            if flagsHost { stored.hostHasNoRanges = true }
            return requestAgain(facts.sources, withoutRange: true, recording: flagsHost ? .refusesRanges(lead) : nil)
        case .requestWithOtherCondition, .collapseToSingleStream, .awaitFinalResponse, .followRedirect:
            // After `requestWithOtherCondition` the next request uses the recorded form of condition. The other
            // decisions apply only to further connections, or to responses that the transport handles itself.
            return requestAgain(facts.sources)
        case .alreadyComplete: return complete(facts.sources)
        case .notModified: return .keepFile
        case .retry(let failure): return failed(failure, facts)
        case .retrySuspect(let failure): return failed(failure.suspect, facts)
        case .waitForCredentials(let error):
            return failed(.failed(TransferFailure(error, failureClass: .credentials)), facts.sources)
        case .fail(let error):
            return failed(.failed(TransferFailure(error, failureClass: .permanent)), facts.sources)
        }
    }

    /// The file that was downloaded before is not the same any more, so it is requested without a condition.
    public mutating func keptFileChanged(_ sources: SourceFacts) -> AttemptAction { requestAgain(sources) }

    /// A Metalink document was parsed, and its URLs have become the sources.
    ///
    /// - Parameter representation: The source of the stored bytes; nil if it is not one of the new sources.
    public mutating func metalinkRead(representation: SourceID?) -> AttemptAction {
        failover = Failover()
        self.representation = representation
        lead = representation ?? .primary
        phase = .idle
        return .prepareRequest(recording: nil)
    }

    /// The body of the response ended. Its stored bytes were reported earlier (``record(_:)``).
    public mutating func bodyEnded(_ end: BodyEnd, _ sources: SourceFacts) -> AttemptAction {
        guard case .requested = phase else { return .end(.outOfOrder) }
        switch end {
        case .whole(let size):
            stored.durableBytes = size
            stored.validator?.total = size
            return complete(sources)
        case .incomplete: return requestAgain(sources)
        case .overlapDiffers: return restart(AttemptRestart(.overlapDiffers))
        }
    }

    /// The lead source failed.
    public mutating func failed(_ failure: SourceFailure, _ sources: SourceFacts) -> AttemptAction {
        guard sources.list.entries.count > 1 else { return .end(failure) }
        if case .failed(let failure) = failure, !failure.concernsSource { return .end(.failed(failure)) }
        failover.record(failure, of: lead)
        // A delay that the host requires is not a failure of the source.
        let finding: SourceFinding? = if case .failed = failure { .failed(lead) } else { nil }
        return switchToNextSource(sources, recording: finding)
    }

    /// The file could not be published. After a digest mismatch it is fetched again from a single source: the first in
    /// the list that has not sent a wrong file alone.
    ///
    /// - Parameter contributors: The sources of the file's bytes.
    public mutating func finishFailed(
        _ failure: TransferFailure,
        _ sources: SourceFacts,
        contributors: Set<SourceID>
    ) -> AttemptAction {
        guard failure.error.code == .checksumMismatch, sources.list.entries.count > 1, mismatches < Self.mismatchLimit
        else {
            return .end(.failed(failure))
        }
        if resumedBytes == 0, contributors.count == 1 { mismatchedSources.formUnion(contributors) }
        guard let next = sources.list.ids.first(where: { !mismatchedSources.contains($0) }) else {
            return .end(.failed(failure))
        }
        mismatches += 1
        failover = Failover()
        for id in mismatchedSources { failover.exclude(id) }
        switchLead(to: next, .resume)
        return .restart(AttemptRestart(failure.error.code.rawValue))
    }
}

// MARK: - Transitions

extension AttemptState {
    /// The stored state for the next request to the lead: it determines the request and how its response is validated.
    private func requestState(_ facts: RequestFacts) -> StoredState {
        var state = stored
        state.isVerifiedByDigest = facts.sources.hasDigest && mismatches == 0
        state.apply(facts.ifRange, at: facts.now)
        switch mode {
        case .replace:
            state.validator = nil
            return state
        case .resume:
            guard lead != representation, stored.validator != nil else { return state }
            return state.requestState(forAnother: facts.ownValidator, agreement(hasDigest: facts.sources.hasDigest))
        }
    }

    /// Whether a response shows that the lead's file is a different one.
    private mutating func differs(_ decision: ResponseDecision, _ facts: ResponseFacts) -> Bool {
        guard facts.sources.list.entries.count > 1, mode == .resume, stored.durableBytes > 0 else { return false }
        switch decision {
        case .restart(let reason, _):
            differences[lead] = reason
            return true
        case .requestWithoutRange, .collapseToSingleStream: return comparesWithOtherSource
        case .accept: return comparesWithOtherSource && facts.contradictsDigests
        case .requestWithOtherCondition, .alreadyComplete, .notModified, .followRedirect, .awaitFinalResponse, .retry,
            .retrySuspect, .waitForCredentials, .fail:
            return false
        }
    }

    private mutating func failed(_ failure: TransferFailure, _ facts: ResponseFacts) -> AttemptAction {
        var failure = failure
        failure.authority = facts.authority
        return failed(.failed(failure), facts.sources)
    }

    /// Ends the attempt if the file has changed too often, or its end stays unproven. Restarts for other reasons are
    /// limited by ``RetryPolicy``.
    private func restart(_ restart: AttemptRestart) -> AttemptAction {
        if restart.reason == RestartReason.endUnproven.rawValue, mismatches + 1 >= RetryPolicy.maxRejections {
            return .end(.failed(TransferFailure(stored.endUnproven)))
        }
        guard restart.isChange, changes >= RetryPolicy.maxRestarts else { return .restart(restart) }
        let message = "The origin's file changed \(changes + 1) times during the download."
        return .end(.failed(TransferFailure(DownloadError(.originUnstable, message: message))))
    }

    /// Repeats the request to the lead. Fails the source after too many responses without a new byte.
    mutating func requestAgain(
        _ sources: SourceFacts,
        withoutRange: Bool = false,
        recording finding: SourceFinding? = nil
    ) -> AttemptAction {
        guard case .requested(_, let before) = phase else { return .end(.outOfOrder) }
        phase = .idle
        repeatsWithoutRange = withoutRange
        requestsWithoutProgress = stored.durableBytes > before ? 0 : requestsWithoutProgress + 1
        guard requestsWithoutProgress < Self.requestsWithoutProgressLimit else {
            return failed(.failed(.noProgress), sources)
        }
        return .prepareRequest(recording: finding)
    }

    /// Finishes, since every byte is stored. A scheme with `rechecksJoinedFile` first compares the last bytes with the
    /// server's once more, because the file may have been replaced between its description and its bytes.
    private mutating func complete(_ sources: SourceFacts) -> AttemptAction {
        guard rules.abilities.rechecksJoinedFile, case .requested(let request, _) = phase, let range = request.range,
            range.first < stored.durableBytes
        else { return finish() }
        segments = [Segment(index: 0, start: 0, end: stored.durableBytes, durableEnd: stored.durableBytes)]
        return requestAgain(sources)
    }

    private mutating func finish() -> AttemptAction {
        phase = .finishing
        return .finish
    }

    /// Makes the next source the lead. Ends the attempt if there is none.
    private mutating func switchToNextSource(
        _ sources: SourceFacts,
        recording finding: SourceFinding? = nil
    ) -> AttemptAction {
        for id in sources.list.ids where failover.isUntried(id) && sources.list[id].state == .left(.differs) {
            failover.recordDifference(of: id)
        }
        let mayJoin = agreement(hasDigest: sources.hasDigest) != .none && mismatches == 0
        switch failover.next(sources.list.ids, hasBytes: stored.durableBytes > 0, mayJoin: mayJoin) {
        case .resume(let id): switchLead(to: id, .resume)
        case .restart(let id): switchLead(to: id, .replace)
        case nil: return .end(failover.failure ?? .failed(.noSourceHasFile))
        }
        return .prepareRequest(recording: finding)
    }

    private mutating func switchLead(to source: SourceID, _ mode: ResumeMode) {
        lead = source
        self.mode = mode
        repeatsWithoutRange = false
        requestsWithoutProgress = 0
        phase = .idle
    }
}

extension StoredState {
    /// Each fetch brought the same bytes, and the origin denies that there are more.
    fileprivate var endUnproven: DownloadError {
        let announced = total.map { "announces \($0) bytes" } ?? "sends no end of the body"
        let message = "The origin \(announced), but has no byte after the \(durableBytes) that it sent each time."
        return DownloadError(.lengthUnverified, message: message)
    }
}

extension SourceFailure {
    /// The event is not valid in this state, which means a bug in this program.
    static let outOfOrder = Self.failed(
        TransferFailure(DownloadError(.internal, message: "The attempt is in another state."))
    )
}

extension TransferFailure {
    fileprivate static let noSourceHasFile = Self(
        DownloadError(.sourceChanged, message: "No source has the file that the part file belongs to.")
    )

    /// No response contained a new byte.
    static let noProgress = Self(DownloadError(.badResponse, message: "The origin's responses contained no new bytes."))
}
