import Synchronization

/// Combines the `fsync(2)` calls of a folder for all callers that wait at the same time.
///
/// An `fsync(2)` covers every change that was made before it starts. Callers that arrive while one runs therefore share
/// the next one. There is no timer, so a single caller has no delay. A change passed to ``synchronize(_:after:)`` runs
/// on the same thread immediately before the `fsync(2)`, which saves a thread switch for each of many small files.
/// Folders are identified by device and inode, so several ``Directory`` objects may refer to the same folder.
public final class DirectorySync: Sendable {
    /// A change of names in a folder.
    public typealias Change = @Sendable () throws(SystemError) -> Void

    private struct Waiter {
        let directory: Directory
        let change: Change
        let continuation: CheckedContinuation<Result<Void, SystemError>, Never>
    }

    private let pool: BlockingPool
    private let perform: @Sendable (Directory) throws(SystemError) -> Void

    /// The callers of the next round, by folder. A key exists while a round of the folder runs or is scheduled.
    private let waiters = Mutex<[FileIdentity: [Waiter]]>([:])

    public convenience init(pool: BlockingPool) {
        self.init(pool: pool) { (directory) throws(SystemError) in try directory.synchronize() }
    }

    /// - Parameter perform: The synchronisation; tests replace it to simulate errors.
    package init(pool: BlockingPool, perform: @escaping @Sendable (Directory) throws(SystemError) -> Void) {
        self.pool = pool
        self.perform = perform
    }

    /// Runs `change`, then waits until it and every earlier change of names in the folder are on the device.
    ///
    /// - Throws: The error of `change`, to its own caller only; or the error of `fsync(2)`, to every caller of the
    ///   round. After an error of `fsync(2)` no name is certain to be durable.
    public func synchronize(
        _ directory: Directory,
        after change: @escaping Change = { () throws(SystemError) in }
    ) async throws(SystemError) {
        let result = await withCheckedContinuation { continuation in
            let waiter = Waiter(directory: directory, change: change, continuation: continuation)
            let isFirst = waiters.withLock { waiters in
                let isFirst = waiters[directory.identity] == nil
                waiters[directory.identity, default: []].append(waiter)
                return isFirst
            }
            if isFirst { schedule(directory.identity) }
        }
        try result.get()
    }

    /// The number of callers that wait for the next round of this folder.
    func waitingCount(for directory: Directory) -> Int {
        waiters.withLock { $0[directory.identity]?.count ?? 0 }
    }

    private func schedule(_ identity: FileIdentity) {
        pool.submit { self.runRound(of: identity) }
    }

    private func runRound(of identity: FileIdentity) {
        let group = waiters.withLock { waiters in
            defer { waiters[identity] = [] }
            return waiters[identity] ?? []
        }
        guard let directory = group.first?.directory else { return }
        let changed = group.filter { waiter in
            let change = Result { () throws(SystemError) in try waiter.change() }
            guard case .failure = change else { return true }
            waiter.continuation.resume(returning: change)
            return false
        }
        let result = changed.isEmpty ? .success(()) : Result { () throws(SystemError) in try perform(directory) }
        let isDueAgain = waiters.withLock { waiters in
            guard waiters[identity]?.isEmpty == true else { return true }
            waiters[identity] = nil
            return false
        }
        // The next round goes to the end of the queue, so that one busy folder does not block the others.
        if isDueAgain { schedule(identity) }
        for waiter in changed { waiter.continuation.resume(returning: result) }
    }
}
