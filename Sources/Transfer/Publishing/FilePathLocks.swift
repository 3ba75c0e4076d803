public import Core
public import Linux
import Synchronization

/// Locks on the paths of finished files. One task at a time holds the lock of a path.
///
/// Only the store knows which download owns the file at a path; the file system cannot tell, because another download's
/// file may have the same size. A task that opens or removes a finished file therefore locks its path and then queries
/// the store. No file is published at the path during that time, and a download records its path in the store before it
/// publishes.
final class FilePathLocks: Sendable {
    /// The waiting tasks of each path, in order. A key exists while its path is locked.
    private let waiters = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Locks a path while `body` runs. The caller must not hold the lock of this path or of a greater one: tasks that
    /// lock two paths do so in ascending order.
    func withLock<Value, Failure>(
        _ path: String,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if !acquire(path) { await waitForTurn(for: path) }
        defer { release(path) }
        return try await body()
    }

    /// The number of tasks that wait for a path.
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
    /// The identity that the file system reports.
    public init(_ identity: Linux.FileIdentity) {
        self.init(device: identity.device, inode: identity.inode)
    }
}

extension PublishedFile {
    /// The key of the lock of its path.
    var place: String { Self.place(of: path, in: root) }

    /// The key of the lock of a path. No path and no name of a root contains a NUL.
    static func place(of path: String, in root: RootName) -> String {
        root == .downloads ? path : "\(root.text)\0\(path)"
    }

    /// Whether the file found at a path is the recorded file itself, as far as its properties tell. The size is
    /// compared too, because a file system reuses the inode number of a removed file.
    ///
    /// The number of a device changes with a restart of the machine (NFS, device mapper, loop, USB), and an inode
    /// number with a restored copy. So a file that is unchanged otherwise is the same; see ``isUntouched(_:)``.
    func isSame(as found: FileInformation) -> Bool {
        guard sizeBytes == found.size else { return false }
        if identity == Core.FileIdentity(found.identity) { return true }
        return modifiedNanoseconds != nil && isUntouched(found)
    }

    /// Whether the file found at a path may be the empty one that reserved it.
    ///
    /// - Parameter recordedAt: When the publication or the move was recorded.
    func isReserved(by found: FileInformation, since recordedAt: Timestamp) -> Bool {
        // FAT stores times in steps of two seconds.
        let earliest = (recordedAt + .seconds(-2)).milliseconds
        return found.kind == .regular && found.size == 0 && sizeBytes > 0
            && found.modifiedNanoseconds / 1_000_000 >= earliest
    }

    /// Whether the file found at the path is unchanged. The caller must have compared the sizes. A copy, for example in
    /// a restored folder, counts as changed, so its bytes are compared. Without a digest a copy with the same
    /// modification time counts as unchanged.
    func isUntouched(_ found: FileInformation) -> Bool {
        guard let modifiedNanoseconds else { return true }
        return found.modifiedNanoseconds == modifiedNanoseconds
            && (identity.inode == found.identity.inode || digests.isEmpty)
    }

    /// Whether the file found at the path has the same inode, and there is no digest to verify its bytes. The caller
    /// must have compared the sizes.
    func isOnlyTouched(_ found: FileInformation) -> Bool {
        digests.isEmpty && identity.inode == found.identity.inode
    }

    /// Whether the file found at the path may be this file. Device and inode are ignored: they change when a folder is
    /// copied or restored, and may change when its file system is mounted again.
    func fits(_ found: FileInformation) -> Bool {
        found.kind == .regular && sizeBytes == found.size
    }

    /// The record, updated with the properties of the found file.
    func adopting(_ found: FileInformation) -> Self {
        var file = self
        file.isMissing = false
        // A device number may change when a file system is mounted again, so it is ignored.
        guard modifiedNanoseconds != nil, !isUntouched(found) else { return file }
        file.identity = Core.FileIdentity(found.identity)
        file.modifiedNanoseconds = found.modifiedNanoseconds
        return file
    }
}
