import Core
import Logging
import Store
import Transfer

/// Removes finished files whose time is over. Files that others have put in their place are kept.
struct FileExpiry: Sendable {
    let store: Store
    let engine: Engine
    /// The setting `keep_files`; nil means forever.
    let period: Duration?
    let time: TimeSource
    let logger: Logger

    /// The number of files per step. A step is two commits, and other writes come between them.
    private static let step = 32
    /// The number of files per round, once a minute.
    private static let filesPerRound = 4096

    /// Removes the files that are due, until none is left or the round is full. The next round repeats what failed.
    func run(at clock: AgeClock) async {
        var left = Self.filesPerRound
        var failed: Set<DownloadID> = []
        do {
            while left > 0 && !Task.isCancelled {
                let due = try await store.expiredFiles(keeping: period, limit: Self.step + failed.count, at: clock)
                    .filter { !failed.contains($0.id) }
                guard !due.isEmpty else { return }
                let began = time.elapsed
                let marked = try await store.markExpired(due, now: time.now)
                var removed: [Download] = []
                for download in marked where !Task.isCancelled {
                    if await remove(download) { removed.append(download) } else { failed.insert(download.id) }
                }
                if !removed.isEmpty { try await store.recordExpired(removed, now: time.now) }
                // A record that was changed meanwhile is due later, or in the next round.
                failed.formUnion(Set(due.map(\.id)).subtracting(marked.map(\.id)))
                left -= due.count
                // The disk and the writer are free for as long as the step took.
                let rest = min(time.elapsed - began, .milliseconds(250))
                if rest > .zero { try await time.sleep(for: rest) }
            }
        } catch {
            logger.warning("expired files not removed", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: Whether the file is gone, or was not the download's any more.
    private func remove(_ download: Download) async -> Bool {
        guard let file = download.file else { return true }
        do {
            // The lock prevents another download from taking the path until the file is removed.
            try await engine.withPathLocked(of: file) {
                try await FileRemover(store: store, engine: engine).remove(file, of: download)
            }
            return true
        } catch {
            logger.warning(
                "expired file not removed",
                metadata: ["download.id": "\(download.id)", "error": "\(error)"]
            )
            return false
        }
    }
}
