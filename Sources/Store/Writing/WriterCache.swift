import Core
import Synchronization

/// The downloads that are running, and some that are queued, as the writer wrote them last: what it wrote itself it
/// need not read back, ninety columns at a time. And the webhooks that events are held against, each time.
///
/// A transaction has them, and leaves them to the next once it is committed. Where anything is undone, or another hand
/// has written to the file, all is forgotten.
struct WriterCache: Sendable {
    /// From how many on, of all that are kept, no queued one is added. Those that run are, few as there are slots.
    private static let capacity = 512

    private var downloads: [DownloadID: Download] = [:]
    private var version: Int64?
    /// Those that were named for more than one download; nil where they have to be read.
    var webhooks: [WebhookCandidate]?
    /// Whether any session names webhooks; nil where that has to be read.
    var sessionsNameWebhooks: Bool?

    func download(_ id: DownloadID) -> Download? { downloads[id] }

    /// Caches the current row of a download, if a worker has it or will have it soon.
    mutating func record(_ download: Download) {
        switch download.state {
        case .running:
            downloads[download.id] = download
        case .queued where downloads.count < Self.capacity:
            downloads[download.id] = download
        case .queued, .waiting, .paused, .completed, .failed, .cancelled:
            downloads[download.id] = nil
        }
    }

    mutating func forget(_ id: DownloadID) { downloads[id] = nil }

    /// Forgets what may be stale: the version of the data changes with each commit of another connection
    /// (sqlite.org/pragma.html#pragma_data_version).
    mutating func follow(_ version: Int64?) {
        if version != self.version { forgetAll() }
        self.version = version
    }

    mutating func forgetAll() {
        downloads.removeAll(keepingCapacity: true)
        webhooks = nil
        sessionsNameWebhooks = nil
    }
}

/// The downloads that were looked up since the last commit, for clients that ask for the same ones again and again.
///
/// Any commit makes all of it stale, so it can never show less than what its caller was answered.
final class LookupCache: Sendable {
    private struct State {
        var version: UInt64 = 0
        var downloads: [DownloadID: Download] = [:]
    }

    private static let capacity = 1024

    private let state = Mutex(State())
    private let commits = Atomic<UInt64>(0)

    /// The version of the data; it must be read before the data.
    var version: UInt64 { commits.load(ordering: .acquiring) }

    /// Makes all that is here stale. The writer calls it once its commit shows, before it answers a caller.
    func forget() {
        commits.add(1, ordering: .acquiringAndReleasing)
    }

    func download(_ id: DownloadID, at version: UInt64) -> Download? {
        state.withLock { $0.version == version ? $0.downloads[id] : nil }
    }

    /// Caches a row that was read at `version` or later. It is ignored after the next commit.
    func store(_ download: Download, at version: UInt64) {
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
