import Glibc
import Linux
import Synchronization

/// The thread of a ``TransferLoop``. It alternates between the actor's jobs and libcurl's transfers.
///
/// Each iteration runs the queued jobs and then calls the function given to ``start(round:)``. This function sleeps
/// until a socket is ready, a timer is due or another thread wakes it.
final class LoopThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the thread was woken since its current iteration began.
        var isWoken = false
        /// Whether the thread sleeps or is about to. Only then must a wake-up write to the descriptor.
        var isAsleep = false
        var isStopping = false

        /// Records that there is work. Returns whether the thread must be woken.
        mutating func wake() -> Bool {
            isWoken = true
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let state = Mutex(State())
    /// The thread's `pthread_self()`; 0 before it runs.
    private let identity = Atomic<UInt>(0)
    let poll: SocketPoll

    init() throws(SystemError) {
        poll = try SocketPoll()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            return state.wake()
        }
        if mustWake { poll.wake() }
    }

    /// Wakes the thread. It may be called on any thread.
    func wake() {
        if state.withLock({ $0.wake() }) { poll.wake() }
    }

    func checkIsolated() {
        precondition(isCurrent, "not on the transfer loop's thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Starts the thread, which retains `self` until ``stop()``.
    ///
    /// - Parameter round: Processes the transfers. It may sleep once, if the function passed to it returns true.
    func start(round: @escaping @Sendable (_ maySleep: @Sendable () -> Bool) -> Void) throws(SystemError) {
        let body = Unmanaged.passRetained(Body { self.run(round) })
        var handle = pthread_t()
        let code = pthread_create(
            &handle,
            nil,
            { context in
                // `!`: `start` always passes a body.
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().call()
                return nil
            },
            body.toOpaque()
        )
        guard code == 0 else {
            body.release()
            throw SystemError(code: code, call: "pthread_create")
        }
        pthread_detach(handle)
    }

    /// Ends the thread when its queued jobs are done.
    func stop() {
        let mustWake = state.withLock { state in
            state.isStopping = true
            return state.wake()
        }
        if mustWake { poll.wake() }
    }

    private var isCurrent: Bool {
        identity.load(ordering: .acquiring) == UInt(pthread_self())
    }

    private func run(_ round: (_ maySleep: @Sendable () -> Bool) -> Void) {
        identity.store(UInt(pthread_self()), ordering: .releasing)
        while true {
            let (jobs, isStopping) = state.withLock { state in
                state.isWoken = false
                state.isAsleep = false
                defer { state.jobs = [] }
                return (state.jobs, state.isStopping)
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            round { self.beginSleep() }
            if jobs.isEmpty && isStopping { return }
        }
    }

    /// Whether no work has arrived since the iteration began. Later work wakes the thread.
    private func beginSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = !state.isWoken
            return state.isAsleep
        }
    }

    /// A closure in an object, which can be passed through C as a pointer.
    private final class Body: Sendable {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) {
            self.call = call
        }
    }
}
