import Synchronization

/// The paths of finished files, each of which one task at a time holds.
///
/// Whose file lies at a path the store knows, and not the file system: another download's may have the same size. So a
/// finished file is looked for, or removed, by one who holds its path and has asked the store since, and no file
/// comes to its place meanwhile. Its download has the path in the store before it comes.
final class FilePlaces: Sendable {
    /// Those who wait for a path, the first to come first; a key is there as long as somebody holds it.
    private let waiters = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Holds a path while `body` runs. It is not for one who holds a path already.
    func hold<Value, Failure>(
        _ path: String,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if !take(path) { await turn(for: path) }
        defer { giveBack(path) }
        return try await body()
    }

    /// How many wait for a path.
    func waitingCount(for path: String) -> Int { waiters.withLock { $0[path]?.count ?? 0 } }

    private func take(_ path: String) -> Bool {
        waiters.withLock { waiters in
            guard waiters[path] == nil else { return false }
            waiters[path] = []
            return true
        }
    }

    private func turn(for path: String) async {
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
    private func giveBack(_ path: String) {
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
