import API
import Core
import Linux
import Synchronization
import Transfer

/// Stores the progress of one download in a state file.
final class FileCheckpointSink: CheckpointSink {
    private let file: StateFile
    /// One thread: connections record concurrently, and an older state must not overwrite a newer one.
    private let pool = BlockingPool(threads: 1, name: "state")
    private let state: Mutex<State>
    private let willStartOver: @Sendable (GetProgress) -> Void

    private struct State {
        var progress: GetProgress
        /// The number of changes.
        var changes = 0
        /// The number of written changes.
        var written = 0
    }

    /// - Parameter willStartOver: Called with the old state before it is discarded.
    init(
        _ progress: GetProgress,
        file: StateFile,
        willStartOver: @escaping @Sendable (GetProgress) -> Void = { _ in }
    ) {
        state = Mutex(State(progress: progress))
        self.file = file
        self.willStartOver = willStartOver
    }

    /// The content of the file after the pending write.
    var progress: GetProgress { state.withLock { $0.progress } }

    /// Writes the state, so that the part file's name is recorded before the part file exists.
    func begin() async throws { try await change { _ in } }

    /// Blocks are not stored: each checkpoint rewrites the whole file, so it is kept short.
    var storesBlocks: Bool { false }

    func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void> {
        try await change { $0.apply(checkpoint) }
        return .done(())
    }

    /// Starts a new generation, and counts a complete file that was rejected. The attempt continues.
    func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int> {
        willStartOver(progress)
        let progress = try await change { progress in
            progress.startOver()
            progress.download.attempts.recordRestart(reason: reason, isChange: isChange)
        }
        return .done(progress.download.generation)
    }

    /// Discards the stored bytes after a recorded failure.
    func startOver() async throws {
        willStartOver(progress)
        try await change { $0.startOver() }
    }

    func publish(_ published: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool> {
        try await change { $0.apply(published, checkpoint) }
        return .done(true)
    }

    /// Never called: without block digests no damage is detected.
    func recordDamage(_: PartDamage) async {}

    /// Ignores mirrors: the next run uses the download's own URL first.
    func recordHostRefusesRanges(_ authority: String) async throws {
        guard authority == progress.download.request.url.authority else { return }
        try await change { $0.hostRefusesRanges = true }
    }

    /// Records a failure in memory. The number of rejected files is written when their bytes are discarded. A later run
    /// does not need the rest.
    func record(_ error: DownloadError, isSuspect: Bool) {
        state.withLock { state in
            let suspectResponses = state.progress.download.attempts.suspectResponses
            state.progress.download.attempts.suspectResponses = isSuspect ? suspectResponses + 1 : 0
            if error.code.rejectsCompleteFile { state.progress.download.attempts.mismatches += 1 }
        }
    }

    /// Removes the file, because there is nothing to resume.
    func end() async {
        // If the file remains, the next run finds it and detects that its part file is missing.
        _ = try? await pool.run { [file] () throws(SystemError) in try file.remove() }
    }

    @discardableResult
    private func change(_ body: (inout GetProgress) -> Void) async throws -> GetProgress {
        let changed = state.withLock { state in
            body(&state.progress)
            state.changes += 1
            return state
        }
        try await pool.run { [self] in try write(atLeast: changed.changes) }
        return changed.progress
    }

    /// Writes the newest state, unless another write has already included the change.
    private func write(atLeast change: Int) throws {
        let newest = state.withLock { $0 }
        guard newest.written < change else { return }
        try file.save(try GetRecord(newest.progress).json())
        state.withLock { $0.written = newest.changes }
    }
}
