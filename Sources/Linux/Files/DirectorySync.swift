import Synchronization

/// One `fsync(2)` of a folder for all who wait for it at the same moment.
///
/// A caller whose change came before its call is served by any synchronisation that starts after the call. So
/// those who come while one runs share the next; there is no timer, and one alone waits for nothing. A change that is
/// handed in with the call is made on the same thread right before, which spares many small files a hand-over each.
/// Folders are told apart by device and inode, whichever ``Directory`` is used.
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

    /// Those who wait for the next round of a folder; a key is there as long as a round runs or is due.
    private let waiters = Mutex<[FileIdentity: [Waiter]]>([:])

    public convenience init(pool: BlockingPool) {
        self.init(pool: pool) { (directory) throws(SystemError) in try directory.synchronize() }
    }

    /// - Parameter perform: The synchronisation, which a test lets fail.
    package init(pool: BlockingPool, perform: @escaping @Sendable (Directory) throws(SystemError) -> Void) {
        self.pool = pool
        self.perform = perform
    }

    /// Makes `change`, then waits until every change of names in the folder that came before is on the device.
    ///
    /// - Throws: What `change` threw, for its caller alone; or what `fsync(2)` answered: everyone who shared it gets
    ///   the same, and no name is sure to be kept.
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

    /// How many wait for a round of this folder that has not begun.
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
        // At the end of the queue, so that one busy folder does not keep a thread from the others.
        if isDueAgain { schedule(identity) }
        for waiter in changed { waiter.continuation.resume(returning: result) }
    }
}
