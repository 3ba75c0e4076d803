import Core
import Dispatch
import Synchronization

/// The only writer. It commits in groups without a timer: an idle writer commits at once, and calls that arrive during
/// a commit are committed together. Each call returns after its own commit.
///
/// A call that throws is rolled back alone. Its work may run twice, so it must only write to the database.
final class Writer: Sendable {
    typealias Work = @Sendable (Transaction) throws -> Void

    /// One call: its work, and the function that completes it once the outcome is durable.
    private struct Call: Sendable {
        let isVital: Bool
        /// The downloads that it reads first.
        let touching: [DownloadID]
        let work: Work
        let finish: @Sendable (Result<Void, any Error>) -> Void
    }

    private struct State {
        var pending: [Call] = []
        var isCommitting = false
        var failure: StoreError?
    }

    private let engine: any StoreEngine
    private let commitQueue = DispatchQueue(label: "cormorant.store.commit", qos: .userInitiated)
    private let state = Mutex(State())
    private let encode: EventEncoder
    private let notices: Notices
    private let changes: DownloadChanges
    private let lookupCache: LookupCache
    /// The cache that the last commit left for the next one.
    private let rows = Mutex(WriterCache())
    private let received = Atomic<Int64>(0)

    init(
        engine: any StoreEngine,
        encode: @escaping EventEncoder,
        notices: Notices,
        changes: DownloadChanges,
        lookupCache: LookupCache
    ) {
        self.engine = engine
        self.encode = encode
        self.notices = notices
        self.changes = changes
        self.lookupCache = lookupCache
    }

    /// Runs `body` in a transaction and returns once it is durable.
    ///
    /// - Parameters:
    ///   - isVital: Whether it may use the reserved space if the disk is full.
    ///   - touching: Downloads that `body` reads. Those of all calls of a group are read with one statement. A call may
    ///     read others too.
    @discardableResult
    func write<Value: Sendable>(
        isVital: Bool = false,
        touching: [DownloadID] = [],
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let value = Slot<Value>()
            enqueue(
                Call(
                    isVital: isVital,
                    touching: touching,
                    work: { transaction in value.set(try body(transaction)) },
                    finish: { result in continuation.resume(with: result.map { value.take() }) }
                )
            )
        }
    }

    /// The bytes that commits recorded as durable.
    var receivedBytes: Int64 { received.load(ordering: .relaxed) }

    /// The error after which the writer has stopped; nil while it writes, and after ``close()``.
    var failure: StoreError? { state.withLock { $0.failure.flatMap { $0.endsService ? $0 : nil } } }

    /// Rejects later calls, and puts all data into the database file.
    func close() {
        state.withLock { $0.failure = $0.failure ?? .closed }
        commitQueue.sync { emptyLog() }
    }

    /// Puts all data into the database file.
    func truncateLog() async {
        await withCheckedContinuation { continuation in
            commitQueue.async {
                self.emptyLog()
                continuation.resume()
            }
        }
    }

    /// On a full disk the log stays: other files would take its space, and the next start could not open the database.
    private func emptyLog() {
        guard failure == nil, engine.restoreReserve() else { return }
        engine.truncateLog()
    }

    private func enqueue(_ call: Call) {
        let refusal: StoreError? = state.withLock { state in
            guard state.failure == nil else { return state.failure }
            state.pending.append(call)
            guard !state.isCommitting else { return nil }
            state.isCommitting = true
            commitQueue.async { self.commitPending() }
            return nil
        }
        if let refusal { call.finish(.failure(refusal)) }
    }

    private func commitPending() {
        while true {
            let batch = state.withLock { state in
                defer { state.pending = [] }
                state.isCommitting = !state.pending.isEmpty
                return state.pending
            }
            guard !batch.isEmpty else { return }
            if let failure {
                for call in batch { call.finish(.failure(failure)) }
            } else {
                commitKeepingReserve(batch)
            }
        }
    }

    /// Stops all later writes.
    ///
    /// - Parameter failure: An error that ends the service.
    func stopWriting(_ failure: StoreError = .outcomeUnknown) {
        state.withLock { state in
            if state.failure?.endsService != true { state.failure = failure }
        }
        notices.post(.failure)
    }

    /// Commits the calls for which there is space. The reserve is only for vital calls.
    private func commitKeepingReserve(_ batch: [Call]) {
        let isKept = engine.restoreReserve()
        guard !isKept || !commit(batch, givesUp: true) else { return }
        let vital = batch.filter(\.isVital)
        for call in batch where !call.isVital { call.finish(.failure(StoreError.full)) }
        guard !vital.isEmpty else { return }
        if isKept { engine.releaseReserve() }
        _ = commit(vital, givesUp: false)
    }

    /// - Parameter givesUp: Whether to return on a full disk without completing any call, so that vital calls can be
    ///   tried again.
    /// - Returns: false if that happened.
    private func commit(_ batch: [Call], givesUp: Bool) -> Bool {
        let results: [Result<Void, any Error>]
        do {
            let ended = try commitTogether(batch) ?? commitSeparately(batch)
            results = ended.results
            rows.withLock { $0 = ended.rows }
            // The cache must be cleared before a reader is woken.
            lookupCache.forget()
            received.add(ended.receivedBytes, ordering: .relaxed)
            notices.post(ended.notices)
            changes.post(ended.changedDownloads)
        } catch {
            // The transaction may have been committed despite the error.
            lookupCache.forget()
            let failure = error as? StoreError ?? .failed("\(error)")
            results = batch.map { _ in .failure(failure) }
            if failure.endsService { stopWriting(failure) }
            if failure == .full, givesUp, batch.contains(where: \.isVital) { return false }
        }
        for (call, result) in zip(batch, results) { call.finish(result) }
        return true
    }

    /// Removes the cache, which is empty until the commit has succeeded.
    ///
    /// Only the transaction holds it then. Another reference would make its first change copy all rows.
    private func removeCache() -> WriterCache {
        rows.withLock { rows in
            var removed = WriterCache()
            swap(&rows, &removed)
            return removed
        }
    }

    /// The result of a transaction, by call.
    private struct Ended {
        let results: [Result<Void, any Error>]
        var notices: Notice = []
        var changedDownloads: Set<DownloadID> = []
        var receivedBytes: Int64 = 0
        var rows = WriterCache()

        init(results: [Result<Void, any Error>], _ transaction: Transaction? = nil) {
            self.results = results
            guard let transaction else { return }
            notices = transaction.notices
            changedDownloads = transaction.changedDownloads
            receivedBytes = transaction.totals.receivedBytes
            rows = transaction.rows
            rows.accounts.trim()
        }
    }

    /// Runs the calls one by one without savepoints. Calls rarely fail, and a savepoint costs more than many calls.
    ///
    /// - Returns: nil if one of several calls failed. Then nothing was written.
    private func commitTogether(_ batch: [Call]) throws -> Ended? {
        var failure: (any Error)?
        var ended: Ended?
        try engine.write { database in
            let transaction = Transaction(database: database, encode: encode, rows: removeCache())
            do {
                try transaction.begin(touching: batch.flatMap(\.touching))
                for call in batch { try call.work(transaction) }
                try transaction.writeTotals()
            } catch let error as StoreError where error.endsTransaction {
                throw error
            } catch {
                failure = error
                return false
            }
            ended = Ended(results: batch.map { _ in .success(()) }, transaction)
            return true
        }
        guard let failure else { return ended }
        return batch.count == 1 ? Ended(results: [.failure(failure)]) : nil
    }

    /// Runs each call in a savepoint, so that a failing call is rolled back alone.
    private func commitSeparately(_ batch: [Call]) throws -> Ended {
        var ended = Ended(results: [])
        try engine.write { database in
            var results: [Result<Void, any Error>] = []
            let transaction = Transaction(database: database, encode: encode, rows: WriterCache())
            try transaction.begin(touching: batch.flatMap(\.touching))
            for call in batch {
                do {
                    try transaction.inSavepoint { try call.work(transaction) }
                    results.append(.success(()))
                } catch let error as StoreError where error.endsTransaction {
                    throw error
                } catch {
                    results.append(.failure(error))
                }
            }
            try transaction.writeTotals()
            ended = Ended(results: results, transaction)
            return true
        }
        return ended
    }
}

extension Transaction {
    /// Drops cached rows that another connection may have written, and reads those that the calls need.
    fileprivate func begin(touching ids: [DownloadID]) throws {
        rows.follow(try database.foreignVersion())
        try load(ids)
    }

    /// Rolls back only the changes of `body` if it throws.
    fileprivate func inSavepoint(_ body: () throws -> Void) throws {
        let (totals, accounts) = (totals, rows.accounts)
        do {
            try database.savepoint(body)
        } catch {
            rows.forgetAll()
            rows.accounts = accounts
            self.totals = totals
            throw error
        }
    }
}

/// Passes a call's value from the writer's thread to its caller. It is written once, then read once.
private final class Slot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func set(_ newValue: Value) { value.withLock { $0 = newValue } }

    /// - Precondition: ``set(_:)`` was called.
    func take() -> Value {
        guard let value = value.withLock({ $0 }) else { preconditionFailure("a call succeeded without a value") }
        return value
    }
}
