import Core
import HTTPFields
import TransferRules

/// The sources of an attempt: whom it asks next when one fails, and what it does when the file turns out wrong.
extension Attempt {
    /// What a difference between two sources is to be taken for.
    var agreement: SourceAgreement {
        SourceAgreement(stored.validator, hasDigest: !expected.digests.isEmpty)
    }

    /// Whether the lead's file is compared with bytes of another source.
    var isComparedWithOtherSource: Bool { lead != representation && stored.durableBytes > 0 && stored.validator != nil }

    /// What the next request to the lead is planned and judged by.
    var requestState: StoredState {
        var state = stored
        state.isJudgedByDigest = !expected.digests.isEmpty && mismatches == 0
        state.apply(engine.hosts.ifRange(of: sources.url(of: lead).authority), at: engine.time.now)
        guard startsFromZero else { return sources.state(of: lead, state, from: representation, agreement) }
        state.validator = nil
        return state
    }

    /// Whether an answer takes the lead out of the count of those that have this file.
    func differs(_ decision: ResponseDecision, _ answer: OriginClient.Answer) -> Bool {
        guard sources.count > 1, !startsFromZero, stored.durableBytes > 0 else { return false }
        switch decision {
        case .restart(let reason, _):
            differences[lead] = reason
            return true
        case .requestWithoutRange, .collapseToSingleStream: return isComparedWithOtherSource
        case .requestWithOtherCondition: return false
        case .accept: return isComparedWithOtherSource && answer.response.digests.contradict(expected.digests)
        case .alreadyComplete, .followRedirect, .awaitFinalResponse, .retry, .retrySuspect, .waitForCredentials, .fail:
            return false
        }
    }

    /// Notes what ended the work with the lead, unless it ends the attempt.
    func recordFailure(_ interruption: AttemptInterruption) throws(AttemptInterruption) {
        guard sources.count > 1 else { throw interruption }
        switch interruption {
        case .failed(let failure, let isSuspect):
            guard failure.isSources else { throw interruption }
            failover.record(failure, of: lead)
            sources.recordFailure(lead)
            if isSuspect { suspects.insert(failure) }
        case .deferred(let wait): failover.record(wait, of: lead)
        case .unrecorded, .stopped, .lost: throw interruption
        }
    }

    /// Makes another source the lead, or ends the attempt.
    func turnToNext() throws(AttemptInterruption) {
        for id in sources.ids where failover.isUntried(id) && sources.standing(of: id) == .left(.differs) {
            failover.recordDifference(of: id)
        }
        let mayJoin = agreement != .none && mismatches == 0
        switch failover.next(sources.ids, hasBytes: stored.durableBytes > 0, mayJoin: mayJoin) {
        case .goOn(let id): (lead, startsFromZero) = (id, false)
        case .beginAnew(let id): (lead, startsFromZero) = (id, true)
        case nil:
            switch failover.verdict {
            case .failed(let failure): throw .failed(failure, isSuspect: suspects.contains(failure))
            case .deferred(let wait): throw .deferred(wait)
            case nil: throw .failed(DownloadError(.sourceChanged, message: "No source has the file that was begun."))
            }
        }
    }

    /// After a file that is not what a digest says: fetches it anew from one source alone, in their order. One that
    /// brought the wrong file by itself is not asked again.
    func beginClean(after interruption: AttemptInterruption) async throws(AttemptInterruption) {
        guard case .failed(let failure, _) = interruption, failure.error.code == .checksumMismatch,
            sources.count > 1, mismatches < Self.cleanLimit
        else { throw interruption }
        if resumedBytes == 0, sources.contributors.count == 1 { mismatchedSources.formUnion(sources.contributors) }
        guard let next = sources.ids.first(where: { !mismatchedSources.contains($0) }) else { throw interruption }
        mismatches += 1
        carriedDigests = expected.digests
        try await restart(failure.error.code.rawValue, isChange: false)
        meter.enter(.probing)
        failover = Failover()
        for id in mismatchedSources { failover.exclude(id) }
        (lead, startsFromZero) = (next, false)
    }

    /// Files that are fetched anew because a digest was wrong, where there are several sources.
    private static let cleanLimit = 2

    /// Whether the address may be asked as a source that somebody named on the way.
    ///
    /// - Parameter document: Where it was named. What came over TLS leads to plain HTTP only where a digest that is
    ///   safe against intent says what the file must be.
    func admitted(_ texts: [String], namedBy document: SourceURL, digests: [Digest]) -> [SourceURL] {
        let isGuarded = digests.contains { $0.algorithm == .sha256 || $0.algorithm == .sha512 }
        let urls = texts.compactMap { text -> SourceURL? in
            guard let (url, user, _) = try? SourceURL.parse(text, relativeTo: document), user == nil else { return nil }
            guard let scheme = URLScheme(url.scheme), isGuarded || document.scheme == "http" || url.scheme == "https"
            else { return nil }
            let refusal = engine.settings.destinations.validate(host: url.host, port: url.port, scheme: scheme)
            return refusal == nil ? url : nil
        }
        return Array(urls.prefix(SourceList.maximumMirrors))
    }
}

extension TransferFailure {
    /// Whether another source may do better. Of the disk, and of a file that changes all the time, none is to blame.
    fileprivate var isSources: Bool {
        failureClass.concernsSource && error.code != .workerLost && error.code != .originUnstable
            && error.code != .internal && error.code != .quotaExceeded
    }
}
