import API
import Core
import Linux
import Synchronization
import Transfer

/// Keeps the progress of one download in a state file.
final class FileCheckpointSink: CheckpointSink {
    private let file: StateFile
    /// One thread: the connections of a download record what they do side by side, and an older state must not be
    /// written over a newer one.
    private let pool = BlockingPool(threads: 1, name: "state")
    private let state: Mutex<State>
    private let willStartOver: @Sendable (GetProgress) -> Void

    private struct State {
        var progress: GetProgress
        /// The changes so far.
        var changes = 0
        /// As many of them as the file holds.
        var written = 0
    }

    /// - Parameter willStartOver: Told what is there before it is given up.
    init(
        _ progress: GetProgress,
        file: StateFile,
        willStartOver: @escaping @Sendable (GetProgress) -> Void = { _ in }
    ) {
        state = Mutex(State(progress: progress))
        self.file = file
        self.willStartOver = willStartOver
    }

    /// What the file says, or will say as soon as the write under way is done.
    var progress: GetProgress { state.withLock { $0.progress } }

    /// Writes the state as it is, so that the part file's name is known before there is such a file.
    func begin() async throws { try await change { _ in } }

    /// The file is written as a whole with each checkpoint, so it is kept short: none.
    var storesBlocks: Bool { false }

    func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void> {
        try await change { $0.apply(checkpoint) }
        return .done(())
    }

    /// A file that was wrong is counted here, where the attempt itself goes on with another source.
    func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int> {
        willStartOver(progress)
        let isMismatch = reason == DownloadError.Code.checksumMismatch.rawValue
        let progress = try await change { progress in
            progress.startOver(isChange: isChange)
            if isMismatch { progress.download.attempts.mismatches += 1 }
        }
        return .done(progress.download.generation)
    }

    /// Throws away what is stored after an attempt whose failure was noted.
    func startOver() async throws {
        willStartOver(progress)
        try await change { $0.startOver(isChange: false) }
    }

    func publish(_ published: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool> {
        try await change { $0.apply(published, checkpoint) }
        return .done(true)
    }

    /// Nothing is checked without digests.
    func recordDamage(_: PartDamage) async {}

    /// What a mirror does not do is nothing to the next run, which asks the download's own URL first.
    func recordHostRefusesRanges(_ authority: String) async throws {
        guard authority == progress.download.request.url.authority else { return }
        try await change { $0.hostRefusesRanges = true }
    }

    /// Notes how an attempt failed. A file that was wrong is written down when its bytes are given up; of how an answer
    /// looked no later run needs to know.
    func record(_ error: DownloadError, isSuspect: Bool) {
        state.withLock { state in
            let suspectAnswers = state.progress.download.attempts.suspectAnswers
            state.progress.download.attempts.suspectAnswers = isSuspect ? suspectAnswers + 1 : 0
            if error.code == .checksumMismatch { state.progress.download.attempts.mismatches += 1 }
        }
    }

    /// Removes the file: nothing is to be gone on with.
    func end() async {
        // One that is left over is found by the next run, which sees that its part file is missing.
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

    /// Writes the newest state, unless it has been written beside a later change already.
    private func write(atLeast change: Int) throws {
        let newest = state.withLock { $0 }
        guard newest.written < change else { return }
        try file.save(try GetRecord(newest.progress).json())
        state.withLock { $0.written = newest.changes }
    }
}
