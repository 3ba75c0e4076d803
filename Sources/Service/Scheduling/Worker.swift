import Core
import HTTPFields
import Logging
import Store
import Transfer
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Executes one claim: runs the attempt, decides its outcome, and records it.
///
/// A class saves memory: each running download would store its own copy of a struct.
final class Worker: Sendable {
    private let store: Store
    private let engine: Engine
    private let running: RunningDownloads
    private let vault: CredentialVault
    private let policy: RetryPolicy
    private let urlRefresher: URLRefresher
    private let time: TimeSource
    private let logger: Logger

    init(_ parts: SchedulingParts, policy: RetryPolicy, urlRefresher: URLRefresher) {
        store = parts.store
        engine = parts.engine
        running = parts.running
        vault = parts.vault
        time = parts.time
        logger = parts.logger
        self.policy = policy
        self.urlRefresher = urlRefresher
    }

    func run(_ claimed: ClaimedDownload, meter: ProgressMeter, rate: DownloadRate) async {
        let (log, checkpointSink) = begin(claimed)
        let outcome = await attempt(claimed, checkpointSink, meter, rate, log)
        if await settle(claimed, outcome, log) == .lost {
            await discardUnneeded(claimed.download, checkpointSink.generation)
        }
    }

    @inline(never)
    private func begin(_ claimed: ClaimedDownload) -> (log: RequestLog, checkpointSink: StoreCheckpointSink) {
        let log = RequestLog(claimed.download, after: claimed.context.lastRequest, time: time)
        let checkpointSink = StoreCheckpointSink(
            store: store,
            vault: vault,
            claimed: claimed,
            log: log,
            time: time,
            logger: logger
        )
        return (log, checkpointSink)
    }

    @inline(never)
    private func attempt(
        _ claimed: ClaimedDownload,
        _ checkpointSink: StoreCheckpointSink,
        _ meter: ProgressMeter,
        _ rate: DownloadRate,
        _ log: RequestLog
    ) async -> AttemptOutcome {
        if mayHavePublished(claimed), let outcome = await finishPublication(claimed, checkpointSink) { return outcome }
        do throws(AttemptInterruption) {
            let assignment = try assignment(claimed)
            return await engine.attempt(assignment, checkpointSink: checkpointSink, meter: meter, rate: rate, log: log)
        } catch {
            return .unpublished(error, madeProgress: false)
        }
    }

    /// Whether an earlier worker may have begun to publish the file.
    @inline(never)
    private func mayHavePublished(_ claimed: ClaimedDownload) -> Bool {
        claimed.download.phase == .publishing || claimed.download.file != nil
    }

    /// Finishes a publication that an earlier worker began.
    ///
    /// - Returns: nil if the recorded file is missing, damaged or skipped. A normal attempt follows.
    @inline(never)
    private func finishPublication(
        _ claimed: ClaimedDownload,
        _ checkpointSink: StoreCheckpointSink
    ) async -> AttemptOutcome? {
        let (download, blocks) = (claimed.download, claimed.blocks)
        if download.phase == .publishing {
            return await engine.finishPublishing(download, blocks: blocks, checkpointSink: checkpointSink)
        }
        return await engine.finishPlaced(download, blocks: blocks, checkpointSink: checkpointSink)
    }

    /// An ended attempt of a claim, with what is recorded beside its outcome.
    private struct Ending {
        let claimed: ClaimedDownload
        let log: RequestLog
        var madeProgress = false
    }

    /// Decides what follows an attempt, and records it.
    @inline(never)
    private func settle(_ claimed: ClaimedDownload, _ outcome: AttemptOutcome, _ log: RequestLog) async -> ClaimEnd {
        var ending = Ending(claimed: claimed, log: log)
        switch outcome {
        case .published:
            ending.madeProgress = true
            return await record(.completed, ending)
        case .unpublished(let interruption, let madeProgress):
            ending.madeProgress = madeProgress
            return await settle(interruption, ending)
        }
    }

    private func settle(_ interruption: AttemptInterruption, _ ending: Ending) async -> ClaimEnd {
        switch interruption {
        case .source(.failed(let failure)): return await settleFailure(failure, ending)
        case .source(.deferred(let wait)): return await deferForHost(wait, ending)
        case .unrecorded(StoreError.quotaExceeded): return await settleFailure(TransferFailure(.quotaExceeded), ending)
        case .unrecorded(let error):
            let id = ending.claimed.claim.id
            logger.error("progress not recorded", metadata: ["download.id": "\(id)", "error": "\(error)"])
            return await settleFailure(.unrecorded(error), ending)
        case .stopped: return await record(stopped, Ending(claimed: ending.claimed, log: ending.log))
        case .lost: return .lost
        }
    }

    /// Removes the part file if the download was cancelled or deleted in the meantime: that may have happened before
    /// this worker created the file.
    @inline(never)
    private func discardUnneeded(_ download: Download, _ generation: Int) async {
        // If the store cannot respond now, the sweep at the next start removes the file.
        guard let isNeeded = try? await store.needsPart(download.id, generation: generation), !isNeeded else {
            return
        }
        try? await engine.discardPart(download.id, generation: generation, below: download.request.root)
    }

    /// Whether the claim was valid to the end. An outcome that a full disk kept from being recorded counts as handled:
    /// it is recorded later, or the next start takes over.
    private enum ClaimEnd {
        case handled
        /// A command or a newer claim made the claim stale.
        case lost
    }

    @inline(never)
    private func assignment(_ claimed: ClaimedDownload) throws(AttemptInterruption) -> Assignment {
        do throws(UnreadableCredentials) {
            return Assignment(
                try vault.open(claimed.boxedDownload),
                segments: claimed.segments,
                blocks: claimed.blocks,
                hostRefusesRanges: claimed.context.hostRefusesRanges,
                credentials: try vault.credentials(of: claimed.download.request)
            )
        } catch {
            throw .failed(error.failure)
        }
    }

    /// Requests a new URL if the failure calls for one, and retries or fails otherwise.
    private func settleFailure(_ failure: TransferFailure, _ ending: Ending) async -> ClaimEnd {
        let claimed = ending.claimed
        if let cause = failure.cause {
            logger.notice(
                "request refused",
                metadata: ["download.id": "\(claimed.claim.id)", "error": "\(cause)"]
            )
        }
        // Deadline and limits may have changed during the attempt.
        let stored = try? await store.download(claimed.claim.id)
        let download = stored.flatMap(\.self) ?? claimed.download
        let refreshed = await urlRefresher.refresh(
            download,
            after: failure,
            madeProgress: ending.madeProgress,
            log: ending.log
        )
        switch refreshed {
        case .noNewURL: return await retryOrFail(download, failure, ending)
        case .failed(let other): return await retryOrFail(download, other, original: failure, ending)
        case .given(let edit):
            let until = dueOfURL(download, madeProgress: ending.madeProgress)
            return await record(.urlRefreshed(edit, failure.error, until: until), ending)
        case .stopped: return await record(stopped, ending)
        }
    }

    /// The outcome of a worker that was stopped.
    private var stopped: ClaimOutcome {
        guard !running.isShuttingDown, let pause = running.pause else { return .interrupted }
        return .requeued(pause)
    }

    /// - Parameter original: The failure before a URL refresh that failed too. If no attempt follows, and it concerns
    ///   credentials, it decides in place of `failure`.
    private func retryOrFail(
        _ download: Download,
        _ failure: TransferFailure,
        original: TransferFailure? = nil,
        _ ending: Ending
    ) async -> ClaimEnd {
        let now = time.now
        let decision = decide(failure, of: download, madeProgress: ending.madeProgress, now: now)
        if case .fail = decision,
            let last = original.flatMap({ URLRefreshRules.remaining(of: $0, after: failure.error) })
        {
            return await retryOrFail(download, last, ending)
        }
        // Other downloads of the host are not claimed before its delay ends, even if the process ends now.
        await recordDelays()
        let outcome = ClaimOutcome(decision, failure, now: now)
        let end = await record(outcome, ending)
        if case .deferred(let deferral) = outcome, deferral.reason == .space {
            running.spaceNeeds.record(download.id, failure.missingBytes)
            await engine.recordSpaceShortage(of: download.request.root)
        }
        return end
    }

    private func decide(
        _ failure: TransferFailure,
        of download: Download,
        madeProgress: Bool,
        now: Timestamp
    ) -> RetryDecision {
        policy.applying(download.request).decide(
            failure,
            history: AttemptHistory(download, failure, madeProgress: madeProgress, now: now),
            random: Double.random(in: 0..<1)
        )
    }

    /// When the download continues with its new URL; nil for at once.
    private func dueOfURL(_ download: Download, madeProgress: Bool) -> Timestamp? {
        let random = Double.random(in: 0..<1)
        let policy = policy.applying(download.request)
        let delay = URLRefreshRules.delay(download, madeProgress: madeProgress, policy: policy, random: random)
        return delay > .zero ? time.now + delay : nil
    }

    /// Records the delays that hosts have requested, for all their downloads and for the next process. If a write
    /// fails, that process asks the host once and gets the same response.
    func recordDelays() async {
        for (authority, end) in engine.hosts.removeNewDelays() { await deferClaims(of: authority, until: end) }
    }

    private func deferClaims(of authority: String, until: Timestamp) async {
        try? await store.deferClaims(authority, until: until)
        running.hostDeferrals.record(authority, until: until)
        running.announceDue(until)
    }

    /// Defers a download whose host accepts no request now.
    private func deferForHost(_ wait: HostWait, _ ending: Ending) async -> ClaimEnd {
        let now = time.now
        if let until = wait.until, wait.concernsAll {
            // Other downloads of the host would be claimed only to be deferred too. A failed write is harmless.
            await deferClaims(of: wait.authority, until: until)
        }
        let until = now + wait.delay(at: now, random: Double.random(in: 0..<1))
        return await record(.deferred(Deferral(reason: .host, until: until, error: nil)), ending)
    }

    private func record(_ outcome: ClaimOutcome, _ ending: Ending) async -> ClaimEnd {
        let (claim, madeProgress) = (ending.claimed.claim, ending.madeProgress)
        let requests = ending.log.removePending(isWhole: outcome == .completed)
        let write = { @Sendable [store, time] in
            try await store.recordOutcome(
                claim,
                outcome,
                madeProgress: madeProgress,
                requests: requests,
                now: time.now
            )
        }
        let what: Logger.Metadata = ["download.id": "\(claim.id)"]
        switch await OutcomeRecorder(time: time, logger: logger).record(what, write) {
        case .done(let download):
            report(download, outcome)
            return .handled
        case .lost: return .lost
        case nil:
            // It was stopped to free space on a full disk. Without a recorded outcome it would stay `running`, without
            // a worker.
            if !running.isShuttingDown { recordLater(what, outcome, write) }
            return .handled
        }
    }

    /// Records the outcome of a claim once there is space for it, in a task that is never cancelled. The task ends with
    /// the store.
    private func recordLater(
        _ what: Logger.Metadata,
        _ outcome: ClaimOutcome,
        _ write: @escaping @Sendable () async throws -> FencedResult<Download>
    ) {
        Task {
            let recorded = await OutcomeRecorder(time: time, logger: logger).record(what, write)
            if case .done(let download)? = recorded { report(download, outcome) }
        }
    }

    private func report(_ download: Download, _ outcome: ClaimOutcome) {
        if let due = download.times.nextAttemptAt { running.announceDue(due) }
        var metadata: Logger.Metadata = [
            "download.id": "\(download.id)", "download.state": "\(download.state.rawValue)",
        ]
        switch outcome {
        case .completed:
            metadata["download.size_bytes"] = .stringConvertible(download.progress.durableBytes)
            logger.info("download completed", metadata: metadata)
        case .failed(let error):
            metadata["error.code"] = "\(error.code.rawValue)"
            logger.notice("download failed", metadata: metadata)
        case .deferred(let deferral):
            if let error = deferral.error { metadata["error.code"] = "\(error.code.rawValue)" }
            logger.info("download waits", metadata: metadata)
        case .urlRefreshed(_, let error, _):
            metadata["error.code"] = "\(error.code.rawValue)"
            logger.notice("download resumed with a refreshed URL", metadata: metadata)
        case .interrupted, .requeued:
            logger.debug("download interrupted", metadata: metadata)
        }
    }
}

extension TransferFailure {
    /// The download is not the cause, so only time limits its retries.
    fileprivate static func unrecorded(_ error: any Error) -> Self {
        if case StoreError.full = error { return Self(DownloadError(.diskFull, message: "The disk is full.")) }
        return Self(
            DownloadError(.internal, message: "The progress could not be recorded."),
            failureClass: .transient(.untilGivenUp)
        )
    }
}
