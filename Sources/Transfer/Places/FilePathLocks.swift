import Core
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

extension PublishedFile {
    /// The path of a file, relative to its root.
    static func path(_ name: FileName, in directory: RelativeDirectory?) -> String {
        directory.map { "\($0.path)/\(name.value)" } ?? name.value
    }

    /// The key of the lock of its path.
    var place: String { Self.place(of: path, in: root) }

    /// The key of the lock of a path. No path and no name of a root contains a NUL.
    static func place(of path: String, in root: RootName) -> String {
        root == .downloads ? path : "\(root.text)\0\(path)"
    }
}
