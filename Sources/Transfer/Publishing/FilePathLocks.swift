public import Core
public import Linux
import Synchronization

/// The paths of finished files, each of which one task at a time holds.
///
/// Whose file lies at a path the store knows, and not the file system: another download's may have the same size. So a
/// finished file is looked for, or removed, by one who holds its path and has asked the store since, and no file
/// comes to its place meanwhile. Its download has the path in the store before it comes.
final class FilePathLocks: Sendable {
    /// The waiters for each path, in order. A key exists as long as its path is locked.
    private let waiters = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Holds a path while `body` runs. It is not for one who holds a path already.
    func withLock<Value, Failure>(
        _ path: String,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if !acquire(path) { await waitForTurn(for: path) }
        defer { release(path) }
        return try await body()
    }

    /// How many wait for a path.
    func waitingCount(for path: String) -> Int { waiters.withLock { $0[path]?.count ?? 0 } }

    private func acquire(_ path: String) -> Bool {
        waiters.withLock { waiters in
            guard waiters[path] == nil else { return false }
            waiters[path] = []
            return true
        }
    }

    private func waitForTurn(for path: String) async {
        await withCheckedContinuation { continuation in
            let isFree = waiters.withLock { waiters in
                let isFree = waiters[path] == nil
                if isFree { waiters[path] = [] } else { waiters[path]?.append(continuation) }
                return isFree
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the lock to the longest waiter.
    private func release(_ path: String) {
        let next = waiters.withLock { waiters -> CheckedContinuation<Void, Never>? in
            guard let first = waiters[path]?.first else {
                waiters[path] = nil
                return nil
            }
            waiters[path]?.removeFirst()
            return first
        }
        next?.resume()
    }
}

extension Core.FileIdentity {
    /// What the system calls the same.
    public init(_ identity: Linux.FileIdentity) {
        self.init(device: identity.device, inode: identity.inode)
    }
}

extension PublishedFile {
    /// Whether the file found under a name is the recorded file itself, as needed after a crash between the record and
    /// the completion. Its size counts too, because a file system reuses the inode number of a removed file.
    func isSame(as found: FileInformation) -> Bool {
        identity == Core.FileIdentity(found.identity) && sizeBytes == found.size
    }

    /// Whether the file found at the path, with its size, is unchanged and the same. A copy, such as in a restored
    /// folder, is not the same; then its bytes decide. Without a digest a copy with the same modification time counts.
    func isUntouched(_ found: FileInformation) -> Bool {
        guard let modifiedNanoseconds else { return true }
        return found.modifiedNanoseconds == modifiedNanoseconds
            && (identity.inode == found.identity.inode || digests.isEmpty)
    }

    /// Whether the file found at the path, with its size, has only another time, and no digest can tell whether its
    /// bytes are the same.
    func isOnlyTouched(_ found: FileInformation) -> Bool {
        digests.isEmpty && identity.inode == found.identity.inode
    }

    /// Whether the file found at the path may be this file. Device and inode are ignored: they change when a folder is
    /// copied or restored, and may change when its file system is mounted again.
    func fits(_ found: FileInformation) -> Bool {
        found.kind == .regular && sizeBytes == found.size
    }

    /// The record, updated for the same file as found now.
    func adopting(_ found: FileInformation) -> Self {
        var file = self
        file.isMissing = false
        // The number of a device may change when it is mounted again, so it is ignored.
        guard modifiedNanoseconds != nil, !isUntouched(found) else { return file }
        file.identity = Core.FileIdentity(found.identity)
        file.modifiedNanoseconds = found.modifiedNanoseconds
        return file
    }
}
