import Logging
import Model
import Stages
import Store
import Transfers

/// Carries one claim out: runs the attempt, decides what follows from its end, and settles it.
struct Worker: Sendable {
    let store: Store
    let engine: Engine
    let live: LiveDownloads
    let vault: CredentialVault
    let policy: RetryPolicy
    let links: LinkRefresher
    let time: TimeSource
    let logger: Logger

    func run(_ claimed: ClaimedDownload, meter: ProgressMeter, rate: DownloadRate) async {
        let log = RequestLog(claimed.download, after: claimed.lastRequest, time: time)
        let keeper = StoreKeeper(store: store, vault: vault, claimed: claimed, log: log, time: time, logger: logger)
        let outcome: AttemptOutcome
        if claimed.download.phase == .publishing {
            outcome = await engine.finishPublishing(claimed.download, blocks: claimed.blocks, keeper: keeper)
        } else if let placed = await engine.finishPlaced(claimed.download, blocks: claimed.blocks, keeper: keeper) {
            outcome = placed
        } else {
            do throws(UnreadableCredentials) {
                let assignment = try assignment(claimed)
                outcome = await engine.attempt(assignment, keeper: keeper, meter: meter, rate: rate, log: log)
            } catch {
                outcome = .failed(error.failure, isSuspect: false, madeProgress: false)
            }
        }
        if await conclude(claimed, outcome, log) == .lost { await discardUnneeded(claimed.claim.id, keeper.generation) }
    }

    private func conclude(_ claimed: ClaimedDownload, _ outcome: AttemptOutcome, _ log: RequestLog) async -> Ending {
        switch outcome {
        case .published:
            return await settle(claimed, .completed, log, madeProgress: true)
        case .failed(let failure, let isSuspect, let madeProgress):
            return await conclude(claimed, failure, log, isSuspect: isSuspect, madeProgress: madeProgress)
        case .held(let wait, let madeProgress):
            return await hold(claimed, wait, log, madeProgress: madeProgress)
        case .unrecorded(StoreError.quotaExceeded, let madeProgress):
            let failure = TransferFailure(.quotaExceeded)
            return await conclude(claimed, failure, log, isSuspect: false, madeProgress: madeProgress)
        case .unrecorded(let error, let madeProgress):
            logger.error(
                "progress could not be recorded",
                metadata: ["download.id": "\(claimed.claim.id)", "error": "\(error)"]
            )
            return await conclude(claimed, .unrecorded(error), log, isSuspect: false, madeProgress: madeProgress)
        case .stopped:
            return await settle(claimed, .interrupted, log, madeProgress: false)
        case .lost:
            return .lost
        }
    }

    /// Removes the part file where the download was cancelled or deleted meanwhile: whoever did that may have looked
    /// for the file before this worker made it.
    private func discardUnneeded(_ id: DownloadID, _ generation: Int) async {
        // What cannot be found out now is found out by the sweep at the next start.
        guard let isNeeded = try? await store.needsPart(id, generation: generation), !isNeeded else { return }
        await engine.discardPart(id, generation: generation)
    }

    /// How a worker let go of its download.
    private enum Ending {
        case settled
        /// Something else had taken it out of the worker's hands.
        case lost
        /// The next start takes it over.
        case unsettled
    }

    private func assignment(_ claimed: ClaimedDownload) throws(UnreadableCredentials) -> Assignment {
        Assignment(
            download: try vault.open(claimed.download),
            segments: claimed.segments,
            blocks: claimed.blocks,
            hostRefusesRanges: claimed.hostRefusesRanges,
            credentials: try vault.credentials(of: claimed.download.request)
        )
    }

    private func conclude(
        _ claimed: ClaimedDownload,
        _ failure: TransferFailure,
        _ log: RequestLog,
        isSuspect: Bool,
        madeProgress: Bool
    ) async -> Ending {
        if let cause = failure.cause {
            logger.notice(
                "request refused",
                metadata: ["download.id": "\(claimed.claim.id)", "error": "\(cause)"]
            )
        }
        // Deadline and limits may have been changed while it ran.
        let stored = try? await store.download(claimed.claim.id)
        let download = stored.flatMap(\.self) ?? claimed.download
        let refreshed = await links.refresh(
            download,
            after: failure,
            isSuspect: isSuspect,
            madeProgress: madeProgress,
            log: log
        )
        switch refreshed {
        case .none:
            return await conclude(claimed, download, failure, log, isSuspect: isSuspect, madeProgress: madeProgress)
        case .failed(let other):
            return await conclude(claimed, download, other, instead: failure, log, madeProgress: madeProgress)
        case .goOn(let edit):
            let until = dueOfLink(download, madeProgress: madeProgress)
            return await settle(claimed, .relinked(edit, failure.error, until: until), log, madeProgress: madeProgress)
        case .stopped: return await settle(claimed, .interrupted, log, madeProgress: madeProgress)
        }
    }

    /// - Parameter refusal: What holds instead where no further attempt is to follow the failure.
    private func conclude(
        _ claimed: ClaimedDownload,
        _ download: Download,
        _ failure: TransferFailure,
        instead refusal: TransferFailure? = nil,
        _ log: RequestLog,
        isSuspect: Bool = false,
        madeProgress: Bool
    ) async -> Ending {
        let now = time.now
        let decision = decide(failure, of: download, madeProgress: madeProgress, now: now)
        if case .fail = decision, let last = refusal.flatMap({ LinkRules.remaining(of: $0, after: failure.error) }) {
            return await conclude(claimed, download, last, log, madeProgress: madeProgress)
        }
        let authority = failure.authority ?? download.request.url.authority
        if let wait = failure.retryAfter, isOfHost(failure, authority) {
            // The host asked to be left alone: its other downloads heed that too. A hint that is lost is asked again.
            let end = now + min(wait.delay, policy.longestHold)
            try? await store.holdBack(authority, until: end)
            live.noteDue(end)
        }
        let settlement = Settlement(decision, failure, isSuspect: isSuspect, now: now)
        let ending = await settle(claimed, settlement, log, madeProgress: madeProgress)
        if case .held(let hold) = settlement, hold.reason == .space { await engine.noteShortage() }
        return ending
    }

    /// Whether other downloads of the host are to heed it, too. A 503 may be that of one URL, which the host's governor
    /// knows.
    private func isOfHost(_ failure: TransferFailure, _ authority: String) -> Bool {
        failure.error.httpStatus != 503 || engine.hosts.snapshot(of: authority).state == .frozen
    }

    private func decide(
        _ failure: TransferFailure,
        of download: Download,
        madeProgress: Bool,
        now: Timestamp
    ) -> RetryDecision {
        var policy = policy
        policy.maxAttempts = download.request.maxAttempts
        return policy.decide(
            failure,
            history: AttemptHistory(download, failure, madeProgress: madeProgress, now: now),
            random: Double.random(in: 0..<1)
        )
    }

    /// When another link is followed; nil for at once.
    private func dueOfLink(_ download: Download, madeProgress: Bool) -> Timestamp? {
        let random = Double.random(in: 0..<1)
        let delay = LinkRules.delay(download, madeProgress: madeProgress, policy: policy, random: random)
        return delay > .zero ? time.now + delay : nil
    }

    /// Lets a download wait for its host, which it was not allowed to ask.
    private func hold(
        _ claimed: ClaimedDownload,
        _ wait: HostWait,
        _ log: RequestLog,
        madeProgress: Bool
    ) async -> Ending {
        let now = time.now
        if let until = wait.until, wait.concernsAll {
            // A hint, as above: others of the host would be claimed only to be turned away too.
            try? await store.holdBack(wait.authority, until: until)
            live.noteDue(until)
        }
        let until = now + wait.delay(at: now, random: Double.random(in: 0..<1))
        let settlement = Settlement.held(Hold(reason: .host, until: until, error: nil))
        return await settle(claimed, settlement, log, madeProgress: madeProgress)
    }

    private func settle(
        _ claimed: ClaimedDownload,
        _ settlement: Settlement,
        _ log: RequestLog,
        madeProgress: Bool
    ) async -> Ending {
        let requests = log.take(isWhole: settlement == .completed)
        let write = { @Sendable [store, time] in
            try await store.settle(
                claimed.claim,
                settlement,
                madeProgress: madeProgress,
                requests: requests,
                now: time.now
            )
        }
        let what: Logger.Metadata = ["download.id": "\(claimed.claim.id)"]
        switch await Settler(time: time, logger: logger).settle(what, write) {
        case .done(let download):
            await conclude(download, settlement)
            return .settled
        case .lost: return .lost
        case nil:
            // It was stopped to make room on a full disk. Unsettled, no worker would own it.
            if !live.isDraining { settleLater(what, settlement, write) }
            return .unsettled
        }
    }

    /// Writes down what became of a claim once there is room for it, in a task that nobody cancels: it ends with the
    /// store.
    private func settleLater(
        _ what: Logger.Metadata,
        _ settlement: Settlement,
        _ write: @escaping @Sendable () async throws -> Fenced<Download>
    ) {
        Task {
            let settled = await Settler(time: time, logger: logger).settle(what, write)
            if case .done(let download)? = settled { await conclude(download, settlement) }
        }
    }

    private func conclude(_ download: Download, _ settlement: Settlement) async {
        if case .held(let hold) = settlement, hold.startsOver {
            await engine.discardPart(download.id, generation: download.generation - 1)
        }
        if case .failed(.quotaExceeded) = settlement, download.progress.durableBytes == 0 {
            // Nothing of it was recorded, so that nothing of it counts.
            await engine.discardPart(download.id, generation: download.generation)
        }
        report(download, settlement)
    }

    private func report(_ download: Download, _ settlement: Settlement) {
        if let due = download.times.nextAttemptAt { live.noteDue(due) }
        var metadata: Logger.Metadata = [
            "download.id": "\(download.id)", "download.state": "\(download.state.rawValue)",
        ]
        switch settlement {
        case .completed:
            metadata["download.size_bytes"] = "\(download.progress.durableBytes)"
            logger.info("download completed", metadata: metadata)
        case .failed(let error):
            metadata["error.code"] = "\(error.code.rawValue)"
            logger.notice("download failed", metadata: metadata)
        case .held(let hold):
            if let error = hold.error { metadata["error.code"] = "\(error.code.rawValue)" }
            logger.info("download waits", metadata: metadata)
        case .relinked(_, let error, _):
            metadata["error.code"] = "\(error.code.rawValue)"
            logger.notice("download goes on with another link", metadata: metadata)
        case .interrupted:
            logger.debug("download interrupted", metadata: metadata)
        }
    }
}

extension TransferFailure {
    /// Nothing of the download is to blame, so time alone bounds how often it is tried again.
    fileprivate static func unrecorded(_ error: any Error) -> Self {
        if case StoreError.full = error { return Self(DownloadError(.diskFull, message: "The disk is full.")) }
        return Self(
            DownloadError(.internal, message: "The progress could not be recorded."),
            failureClass: .transient(.untilGivenUp)
        )
    }
}

extension AttemptHistory {
    fileprivate init(_ download: Download, _ failure: TransferFailure, madeProgress: Bool, now: Timestamp) {
        var attempts = download.attempts
        attempts.note(failure.error.code, after: download.error?.error.code, madeProgress: madeProgress)
        self.init(
            attemptsWithoutProgress: attempts.withoutProgress,
            sameFailures: attempts.failures(with: failure.error.code),
            timeWithoutProgress: madeProgress ? .zero : max(now - download.times.progressedAt, .zero),
            timeUntilDeadline: download.times.deadlineAt - now,
            hasDurableBytes: madeProgress || download.progress.durableBytes > 0
        )
    }
}

extension Settlement {
    fileprivate init(_ decision: RetryDecision, _ failure: TransferFailure, isSuspect: Bool, now: Timestamp) {
        switch decision {
        case .fail(let error):
            self = .failed(error)
        case .retry(let delay, let startsOver):
            let reason = failure.retryAfter == nil ? WaitingFor.retry : .host
            self = .held(
                Hold(
                    reason: reason,
                    until: now + delay,
                    error: failure.error,
                    startsOver: startsOver,
                    isSuspect: isSuspect
                )
            )
        case .waitForCredentials:
            self = .held(Hold(reason: .credentials, until: nil, error: failure.error))
        case .waitForSpace:
            self = .held(Hold(reason: .space, until: now + RetryPolicy.diskRetryInterval, error: failure.error))
        case .waitForIO:
            self = .held(Hold(reason: .io, until: now + RetryPolicy.diskRetryInterval, error: failure.error))
        }
    }
}
