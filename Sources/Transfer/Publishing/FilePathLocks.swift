public import Core
public import Linux
import Synchronization

/// The paths of finished files, each of which one task at a time holds.
///
/// Whose file lies at a path the store knows, and not the file system: another download's may have the same size. So a
/// finished file is looked for, or removed, by one who holds its path and has asked the store since, and no file
/// comes to its place meanwhile. Its download has the path in the store before it comes.
final class FilePathLocks: Sendable {
    /// Those who wait for a path, the first to come first; a key is there as long as somebody holds it.
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

    /// Hands the path on to whoever waits longest.
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
    /// Whether what was found under some name is the very file that was recorded, which a crash between the record and
    /// the completion asks. Its size counts too: a file system gives the number of a removed file to the next one.
    func isSame(as found: FileInformation) -> Bool {
        identity == Core.FileIdentity(found.identity) && sizeBytes == found.size
    }

    /// Whether what was found in its place, and has its size, is as it was left: unchanged since, and the same file. A
    /// copy, as of a folder that was restored, is not the same one, and its bytes decide. Where there is no digest to
    /// compare them with, a copy that has kept the time of the last change counts.
    func isUntouched(_ found: FileInformation) -> Bool {
        guard let modifiedNanoseconds else { return true }
        return found.modifiedNanoseconds == modifiedNanoseconds
            && (identity.inode == found.identity.inode || digests.isEmpty)
    }

    /// Whether what was found in its place, and has its size, is the file with another time, where no digest tells
    /// whether its bytes are the same.
    func isOnlyTouched(_ found: FileInformation) -> Bool {
        digests.isEmpty && identity.inode == found.identity.inode
    }

    /// Whether what was found in its place may be this file. Device and inode say nothing here: a folder that was
    /// copied or restored has other ones, and so may one whose file system was mounted anew.
    func fits(_ found: FileInformation) -> Bool {
        found.kind == .regular && sizeBytes == found.size
    }

    /// The record, updated for the file that was found in its place and is the same one.
    func adopting(_ found: FileInformation) -> Self {
        var file = self
        file.isMissing = false
        // The number of a device changes as it is mounted anew, and says nothing.
        guard modifiedNanoseconds != nil, !isUntouched(found) else { return file }
        file.identity = Core.FileIdentity(found.identity)
        file.modifiedNanoseconds = found.modifiedNanoseconds
        return file
    }
}
