import Glibc

/// Threads for blocking calls (fsync, allocation, hashing). Such calls must not block Swift's own pool, which has one
/// thread per core.
///
/// Jobs start in the order of their submission. Threads start when they are first needed, up to the limit. When the
/// pool is released, its threads end after the queued jobs.
public final class BlockingPool: Sendable {
    private let submitJob: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let stop: @Sendable () -> Void

    /// - Parameters:
    ///   - threads: The number of jobs that may run at once.
    ///   - name: The threads' name in `top -H` and debuggers; the kernel keeps 15 bytes of it.
    public init(threads: Int = 4, name: String = "blocking") {
        precondition(threads > 0, "a pool needs a thread")
        let workers = Workers(limit: threads, name: name)
        submitJob = { workers.submit($0) }
        stop = { workers.stop() }
    }

    /// - Parameter submit: Runs each job once, in the order of the calls, and not before it has returned.
    public init(submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        submitJob = submit
        stop = {}
    }

    deinit {
        stop()
    }

    /// Runs `body` on a thread of the pool and suspends until it returns.
    ///
    /// Cancelling the task has no effect: a blocking call cannot be interrupted.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
            submit { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Runs `job` on a thread of the pool and does not wait for it.
    public func submit(_ job: @escaping @Sendable () -> Void) {
        submitJob(job)
    }
}

/// A counting semaphore for threads that may block (`sem_overview(7)`). A task must not wait on it.
final class Semaphore: Sendable {
    /// sem_post() and sem_wait() are safe from any thread (attributes(7)), and no other call uses the handle until it
    /// is freed in deinit, when no caller is left.
    nonisolated(unsafe) private let handle: UnsafeMutablePointer<sem_t>

    init() {
        handle = .allocate(capacity: 1)
        precondition(sem_init(handle, 0, 0) == 0, "sem_init failed")
    }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    /// Wakes one waiter, or lets the next `wait()` return at once.
    func signal() {
        precondition(sem_post(handle) == 0, "sem_post failed")
    }

    /// Blocks until the count is above zero, then decrements it.
    func wait() {
        // On a valid semaphore only a signal handler can interrupt the wait (sem_wait(3)).
        while sem_wait(handle) != 0 {}
    }

    /// As ``wait()``, for a limited time.
    ///
    /// - Returns: False if the time is over.
    func wait(atMost patience: Duration) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        let (seconds, attoseconds) = patience.components
        let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000)
        end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while sem_timedwait(handle, &end) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
