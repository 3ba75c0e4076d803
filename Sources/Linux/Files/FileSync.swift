import Synchronization

/// Flushes (`fsync(2)`) small files for all callers that wait at the same time, one after the other on one thread.
///
/// The write-back of a file starts when it begins to wait. The device then works on all of them, and most flushes need
/// not wait for it: this saves thread switches. There is no timer, so a single caller has no delay. Each caller gets
/// the result of the `fsync(2)` of its own file.
///
/// While flushes take long, files are flushed in parallel instead, each on the thread that wrote it, because the kernel
/// combines flushes that run at the same time. The first file that comes during a long flush also releases the files
/// that wait for it.
public final class FileSync: Sendable {
    private struct Waiter: Sendable {
        typealias Finish = @Sendable (Result<Void, SystemError>) -> Void

        let file: File
        let finish: Finish
    }

    private struct State {
        var waiters: [Waiter] = []
        /// Whether a thread flushes the files that wait.
        var isRunning = false
        /// When that thread began its current flush.
        var began: ContinuousClock.Instant?
        /// Whether the last flush took long.
        var wasSlow = false
    }

    private let pool: BlockingPool
    private let isSlow: @Sendable (Duration) -> Bool
    private let perform: @Sendable (File) throws(SystemError) -> Void
    private let state = Mutex(State())

    public convenience init(pool: BlockingPool) {
        self.init(pool: pool) { (file) throws(SystemError) in try file.synchronize() }
    }

    /// - Parameters:
    ///   - isSlow: Whether a flush of this length is a long one.
    ///   - perform: The flush; tests replace it to simulate errors.
    package init(
        pool: BlockingPool,
        isSlow: @escaping @Sendable (Duration) -> Bool = { $0 > .milliseconds(1) },
        perform: @escaping @Sendable (File) throws(SystemError) -> Void
    ) {
        self.pool = pool
        self.isSlow = isSlow
        self.perform = perform
    }

    /// Writes a file, flushes it, and completes it, on threads of the pool.
    ///
    /// - Parameters:
    ///   - write: Writes the file. It returns the file, nil if there is none to flush, and a value for `complete`.
    ///   - complete: Runs once the file is durable.
    /// - Returns: The value of `complete`.
    /// - Throws: The error of `write`, of the flush of this file, or of `complete`. After an error of the flush see
    ///   ``File/synchronizeData()``.
    public func write<Written: Sendable, Value: Sendable>(
        _ write: @escaping @Sendable () throws(SystemError) -> (file: File?, written: Written),
        complete: @escaping @Sendable (Written) throws(SystemError) -> Value
    ) async throws(SystemError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, SystemError>, Never>) in
            pool.submit {
                let file: File?
                let written: Written
                do throws(SystemError) {
                    (file, written) = try write()
                } catch {
                    return continuation.resume(returning: .failure(error))
                }
                let finish: Waiter.Finish = { flushed in
                    let value = flushed.flatMap { Result { () throws(SystemError) in try complete(written) } }
                    continuation.resume(returning: value)
                }
                if let file { self.flush(Waiter(file: file, finish: finish)) } else { finish(.success(())) }
            }
        }
        return try result.get()
    }

    /// The number of callers that wait for the thread that flushes.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    private enum Turn {
        /// The caller flushes its own file. The files that waited are flushed in parallel.
        case alone(waiting: [Waiter])
        /// The caller flushes its own file and those that come meanwhile.
        case first
        case wait
    }

    private func flush(_ waiter: Waiter) {
        let now = ContinuousClock.now
        let turn = state.withLock { state in
            if state.wasSlow || state.began.map({ isSlow(now - $0) }) ?? false {
                defer { state.waiters = [] }
                return Turn.alone(waiting: state.waiters)
            }
            state.waiters.append(waiter)
            defer { state.isRunning = true }
            return state.isRunning ? .wait : .first
        }
        switch turn {
        case .alone(let waiting):
            flushInParallel(waiting)
            flushNow(waiter)
        case .first: flushAll()
        case .wait:
            // Only a hint: the flush reports its error. It may have begun already.
            try? waiter.file.startWriteback(offset: 0, length: 0)
        }
    }

    private func flushInParallel(_ waiters: [Waiter]) {
        for waiter in waiters { pool.submit { self.flushNow(waiter) } }
    }

    /// Flushes a file and completes it.
    ///
    /// - Returns: Whether the flush took long.
    @discardableResult
    private func flushNow(_ waiter: Waiter) -> Bool {
        let start = ContinuousClock.now
        let result = Result { () throws(SystemError) in try perform(waiter.file) }
        let wasSlow = isSlow(ContinuousClock.now - start)
        state.withLock { $0.wasSlow = wasSlow }
        waiter.finish(result)
        return wasSlow
    }

    private func flushAll() {
        while let waiter = next() {
            guard flushNow(waiter) else { continue }
            let rest = state.withLock { state in
                defer { (state.waiters, state.isRunning, state.began) = ([], false, nil) }
                return state.waiters
            }
            return flushInParallel(rest)
        }
    }

    private func next() -> Waiter? {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.isRunning = !state.waiters.isEmpty
            state.began = state.isRunning ? now : nil
            return state.isRunning ? state.waiters.removeFirst() : nil
        }
    }
}
