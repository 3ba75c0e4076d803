import Application
import Core
import HTTPFields
import Linux
import Transfer

/// One file of a `get`: takes its lock, runs its download, and reports the result.
struct GetJob: Sendable {
    let session: GetSession
    let item: GetPlan.Item

    private var board: ProgressBoard { session.board }

    /// - Returns: The exit status; nil for a completed or interrupted file.
    func run() async -> ExitStatus? {
        let file = StateFile(for: item.request, in: session.directory)
        let lock: FileLock
        do {
            lock = try await session.pool.run { () throws(FileLockError) in try file.lock() }
        } catch {
            return fail(error)
        }
        let status = await run(file)
        await session.pool.run { file.unlock(lock) }
        return status
    }

    private func run(_ file: StateFile) async -> ExitStatus? {
        let checkpointSink: FileCheckpointSink
        do {
            checkpointSink = try await prepare(file)
        } catch {
            return fail(.inputOutput, "\(error)")
        }
        let progress = checkpointSink.progress
        let shown = ProgressItem(name: name(of: progress), progress: progress, time: session.time)
        board.add(shown)
        board.inform(beginning(progress, shown.name))
        let started = ContinuousClock.now
        let transfer = GetTransfer(
            engine: session.engine,
            checkpointSink: checkpointSink,
            credentials: item.credentials,
            item: shown,
            policy: GetRetryPolicy(retryFor: session.plan.retryFor),
            time: session.time
        )
        let outcome = await transfer.run()
        board.remove(shown)
        return await finish(outcome, checkpointSink, since: started)
    }

    private func prepare(_ file: StateFile) async throws -> FileCheckpointSink {
        let now = session.time.now
        let request = item.request
        let stored = try await session.pool.run { () throws(SystemError) in try file.load(request, at: now) }
        let checkpointSink = FileCheckpointSink(stored ?? .beginning(request, at: now), file: file) { [board] old in
            let discarded = old.download.progress.durableBytes
            guard discarded > 0 else { return }
            let name = old.download.fileName(old.download.source).value
            board.inform("\(name): restarted from the beginning; \(ByteSize.rounded(discarded)) discarded")
        }
        try await checkpointSink.begin()
        return checkpointSink
    }

    private func name(of progress: GetProgress) -> String {
        progress.download.fileName(progress.download.source).value
    }

    private func beginning(_ progress: GetProgress, _ name: String) -> String {
        let durable = progress.download.progress.durableBytes
        guard durable > 0 else { return "\(name): started from \(item.request.url.host)" }
        // The origin may still send the whole file.
        return "\(name): resumed from \(item.request.url.host); \(ByteSize.rounded(durable)) on the disk"
    }

    // MARK: - Result

    private func finish(
        _ outcome: GetTransfer.Outcome,
        _ checkpointSink: FileCheckpointSink,
        since started: ContinuousClock.Instant
    ) async -> ExitStatus? {
        switch outcome {
        case .saved(let file):
            await report(file, since: started)
            return nil
        case .failed(let error):
            return fail(ExitStatus(error), error.message, resumeHint(for: checkpointSink))
        case .unrecorded(let reason):
            return fail(.inputOutput, "the state file cannot be written: \(reason)")
        case .interrupted:
            let received = resumeHint(for: checkpointSink) ?? "No bytes were received."
            board.inform("\(name(of: checkpointSink.progress)): interrupted. \(received)")
            return nil
        }
    }

    private func report(_ file: PublishedFile, since started: ContinuousClock.Instant) async {
        let elapsed = ContinuousClock.now - started
        board.inform("\(file.path): saved, \(ByteSize.rounded(file.sizeBytes)) in \(DurationText.clock(elapsed))")
        for digest in file.digests where digest.algorithm == .sha256 {
            await board.output("\(digest.hex)  \(session.path(of: file))")
        }
    }

    private func resumeHint(for checkpointSink: FileCheckpointSink) -> String? {
        let durable = checkpointSink.progress.download.progress.durableBytes
        guard durable > 0 else { return nil }
        return "\(ByteSize.rounded(durable)) are kept. Run the same command again to resume."
    }

    private func fail(_ error: FileLockError) -> ExitStatus {
        switch error {
        case .held(let process):
            let holder = process.map { "process \($0)" } ?? "another process"
            return fail(.temporary, "\(holder) is downloading the same file to this folder")
        case .unavailable(let error):
            return fail(ExitStatus(opening: error), "the folder cannot be written to: \(error.message)")
        }
    }

    private func fail(_ status: ExitStatus, _ message: String, _ hint: String? = nil) -> ExitStatus {
        let sentence = [message, hint].compactMap(\.self).joined(separator: " ")
        board.report("cormorant: \(item.request.url.shown): \(sentence)")
        return status
    }
}

extension GetSession {
    /// The path of the file, relative to the working directory of the command.
    fileprivate func path(of file: PublishedFile) -> String {
        plan.directory == "." ? file.path : "\(plan.directory)/\(file.path)"
    }
}

extension DownloadURL {
    /// The URL without the query, which may contain tokens.
    fileprivate var shown: Substring { text.prefix { $0 != "?" } }
}
