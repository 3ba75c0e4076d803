import Model
import Synchronization

/// The downloads that were looked up since the last commit, for clients that ask for the same ones again and again.
///
/// Any commit makes all of it stale, so it can never show less than what its caller was answered.
final class LookedUp: Sendable {
    private struct State {
        var version: UInt64 = 0
        var downloads: [DownloadID: Download] = [:]
    }

    private static let capacity = 1024

    private let state = Mutex(State())
    private let commits = Atomic<UInt64>(0)

    /// The version of the data, which is taken before they are read.
    var version: UInt64 { commits.load(ordering: .acquiring) }

    /// Makes all that is here stale. The writer calls it once its commit shows, before it answers a caller.
    func forget() {
        commits.add(1, ordering: .acquiringAndReleasing)
    }

    func download(_ id: DownloadID, at version: UInt64) -> Download? {
        state.withLock { $0.version == version ? $0.downloads[id] : nil }
    }

    /// Keeps what was read at `version` or later, which nobody finds once a commit has come in between.
    func keep(_ download: Download, at version: UInt64) {
        state.withLock { state in
            guard state.version <= version else { return }
            if state.version < version || state.downloads.count >= Self.capacity {
                state.version = version
                state.downloads.removeAll(keepingCapacity: true)
            }
            state.downloads[download.id] = download
        }
    }
}
