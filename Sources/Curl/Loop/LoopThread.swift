import Glibc
import Linux
import Synchronization

/// The thread of a ``TransferLoop``: it runs the actor's jobs and libcurl's transfers in turn.
///
/// Each round runs the queued jobs, then calls the function given to ``start(round:)``, which sleeps until a socket is
/// ready, a timer is due or another thread wakes it.
final class LoopThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the thread was woken since its round began.
        var isWoken = false
        /// Whether the thread sleeps, or is about to: only then a wake-up costs anything.
        var isAsleep = false
        var isStopping = false

        /// Records that there is work; true if the thread must be woken for it.
        mutating func wake() -> Bool {
            isWoken = true
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let state = Mutex(State())
    /// `pthread_self()` of the thread once it runs.
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

    /// Ends the thread's sleep. Any thread may call it.
    func wake() {
        if state.withLock({ $0.wake() }) { poll.wake() }
    }

    func checkIsolated() {
        precondition(isCurrent, "not on the transfer loop's thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Starts the thread, which keeps `self` alive until ``stop()``.
    ///
    /// - Parameter round: Processes the transfers. It may sleep once, if the function that it gets allows it.
    func start(round: @escaping @Sendable (_ maySleep: @Sendable () -> Bool) -> Void) throws(SystemError) {
        let body = Unmanaged.passRetained(Body { self.run(round) })
        var handle = pthread_t()
        let code = pthread_create(
            &handle,
            nil,
            { context in
                // `start` always passes a body; nil would be a broken libc.
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

    /// Ends the thread once its jobs are done.
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

    /// Whether no work has come since the round began; later work wakes the thread.
    private func beginSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = !state.isWoken
            return state.isAsleep
        }
    }

    /// A closure as an object, so that it passes through C as a pointer.
    private final class Body: Sendable {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) {
            self.call = call
        }
    }
}
