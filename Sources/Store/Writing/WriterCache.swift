import Core
import Synchronization

/// The running downloads, and some queued ones, as the writer wrote them last, so that it need not read ninety columns
/// again. Also the webhooks that events are matched against.
///
/// A transaction takes the cache, and returns it after the commit. After a rollback, or a write by another connection,
/// the cache is cleared.
struct WriterCache: Sendable {
    /// At this size no queued download is added. Running downloads always are, because slots limit their number.
    private static let capacity = 512

    private var downloads: [DownloadID: Download] = [:]
    private var version: Int64?
    /// The webhooks of the settings and of clients; nil if they must be read.
    var webhooks: [WebhookCandidate]?
    /// The accounts of sessions. A transaction writes those that it has changed before its commit.
    var accounts = SessionAccounts()

    func download(_ id: DownloadID) -> Download? { downloads[id] }

    /// Caches the current row of a download if a worker has claimed it or will soon.
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

    /// Clears the cache if another connection has committed: each such commit changes the data version
    /// (sqlite.org/pragma.html#pragma_data_version).
    mutating func follow(_ version: Int64?) {
        if version != self.version { forgetAll() }
        self.version = version
    }

    mutating func forgetAll() {
        downloads.removeAll(keepingCapacity: true)
        webhooks = nil
        accounts.forgetAll()
    }
}

/// The downloads that were looked up since the last commit, for clients that poll.
///
/// Any commit makes the whole cache stale, so a lookup is never older than a response that was already sent.
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

    /// Makes the whole cache stale. The writer calls it after its commit is visible, before it completes a call.
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
