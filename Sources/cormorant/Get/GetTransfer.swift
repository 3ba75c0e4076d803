import Core
import Transfer
import TransferRules

/// One download, from its start or resume to its end.
struct GetTransfer {
    let engine: Engine
    let checkpointSink: FileCheckpointSink
    let credentials: RequestCredentials
    let item: ProgressItem
    let policy: GetRetryPolicy
    let time: TimeSource

    /// The result of a download.
    enum Outcome: Sendable {
        case saved(PublishedFile)
        case failed(DownloadError)
        /// The progress could not be recorded.
        case unrecorded(String)
        case interrupted
    }

    func run() async -> Outcome {
        var history = GetHistory(at: time.now, mismatches: checkpointSink.progress.download.attempts.mismatches)
        while true {
            switch await attempt() {
            case .published(let file):
                await checkpointSink.end()
                return .saved(file)
            case .unpublished(.stopped, _), .unpublished(.lost, _):
                return await finish(.interrupted)
            case .unpublished(.unrecorded(let error), _):
                return .unrecorded("\(error)")
            case .unpublished(.source(.failed(let failure)), let madeProgress):
                checkpointSink.record(failure.error, isSuspect: failure.isSuspect)
                history.record(failure, madeProgress: madeProgress, at: time.now)
                if let outcome = await follow(failure, history) { return outcome }
            case .unpublished(.source(.deferred(let wait)), _):
                let delay = wait.delay(at: time.now, random: Double.random(in: 0..<1))
                guard await pause(for: delay, why: "The host allows no more requests now.") else {
                    return await finish(.interrupted)
                }
            }
        }
    }

    private func attempt() async -> AttemptOutcome {
        let progress = checkpointSink.progress
        item.show(.running)
        if progress.download.phase == .publishing {
            return await engine.finishPublishing(progress.download, checkpointSink: checkpointSink)
        }
        let assignment = Assignment(
            download: progress.download,
            segments: progress.segments,
            hostRefusesRanges: progress.hostRefusesRanges,
            credentials: credentials
        )
        return await engine.attempt(assignment, checkpointSink: checkpointSink, meter: item.meter)
    }

    /// Waits for the next attempt, or returns the final outcome.
    private func follow(_ failure: TransferFailure, _ history: GetHistory) async -> Outcome? {
        let hasBytes = checkpointSink.progress.download.progress.durableBytes > 0
        switch policy.decide(failure, history, hasDurableBytes: hasBytes, now: time.now) {
        case .fail(let error):
            return await finish(.failed(error))
        case .wait:
            return await finish(.failed(failure.error))
        case .retry(let delay, let startsOver):
            do {
                if startsOver { try await startOver() }
            } catch {
                return .unrecorded("\(error)")
            }
            let hasWaited = await pause(for: delay, why: failure.error.message)
            return hasWaited ? nil : await finish(.interrupted)
        }
    }

    /// - Returns: true after the delay; false if the run was interrupted.
    private func pause(for delay: Duration, why: String) async -> Bool {
        item.show(.waiting(until: .now + delay, why: why.printable))
        return (try? await time.sleep(for: delay)) != nil
    }

    private func startOver() async throws {
        let old = checkpointSink.progress.download
        try await checkpointSink.startOver()
        try? await engine.discardPart(old.id, generation: old.generation, below: old.request.root)
    }

    /// Removes part file and state file if no later run could use them.
    private func finish(_ outcome: Outcome) async -> Outcome {
        let download = checkpointSink.progress.download
        if download.progress.durableBytes == 0 || outcome.provesBytesWrong {
            try? await engine.discardPart(
                download.id,
                generation: download.generation,
                below: download.request.root
            )
            await checkpointSink.end()
        }
        return outcome
    }
}

extension GetTransfer.Outcome {
    fileprivate var provesBytesWrong: Bool {
        guard case .failed(let error) = self else { return false }
        return error.code == .checksumMismatch || error.code == .sizeMismatch
    }
}
