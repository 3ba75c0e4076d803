import Glibc

/// Threads for blocking calls (fsync, allocation, hashing), which must not block Swift's own pool with one thread per
/// core.
///
/// Jobs begin in their order. Threads start when they are first needed, up to the limit. Dropping the pool ends them
/// after the queued jobs.
public final class BlockingPool: Sendable {
    private let workers: Workers

    /// - Parameters:
    ///   - threads: How many jobs may run at once.
    ///   - name: The threads' name in `top -H` and debuggers; the kernel keeps 15 bytes of it.
    public init(threads: Int = 4, name: String = "blocking") {
        precondition(threads > 0, "a pool needs a thread")
        workers = Workers(limit: threads, name: name)
    }

    deinit {
        workers.stop()
    }

    /// Runs `body` on a thread of the pool and suspends until its end.
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

    /// Runs `job` on a thread of the pool later.
    public func submit(_ job: @escaping @Sendable () -> Void) {
        workers.submit(job)
    }
}

/// A counting semaphore for threads that may block, `sem_overview(7)`; never for a task.
final class Semaphore: Sendable {
    /// The only calls made on it, sem_post() and sem_wait(), are safe from any thread (attributes(7)), and it is
    /// freed when no reference, and so no caller, is left.
    nonisolated(unsafe) private let handle: UnsafeMutablePointer<sem_t>

    init() {
        handle = .allocate(capacity: 1)
        precondition(sem_init(handle, 0, 0) == 0, "sem_init failed")
    }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    /// Signals one waiter, now or later.
    func signal() {
        precondition(sem_post(handle) == 0, "sem_post failed")
    }

    /// Blocks until there is a signal, and consumes it.
    func wait() {
        // A signal handler is the only thing that ends a wait early on a valid semaphore (sem_wait(3)).
        while sem_wait(handle) != 0 {}
    }
}
