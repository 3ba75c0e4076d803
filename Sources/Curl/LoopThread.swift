import CLibcurl
import Glibc
import Synchronization

/// The thread of a ``TransferLoop``: it runs the actor's jobs and libcurl's transfers in turn.
///
/// Each round drains the jobs, calls `drive`, then sleeps in `curl_multi_poll()` until a socket
/// is ready, a timer is due or another thread wakes it.
final class LoopThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    /// `pthread_self()` of the thread once it runs.
    private let identity = Atomic<UInt>(0)
    // Off the thread it is used for `curl_multi_wakeup()` alone, the one call that libcurl lets any thread make.
    nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    init() {
        CurlLibrary.setUp()
        guard let multi = curl_multi_init() else { preconditionFailure("curl_multi_init() found no memory") }
        self.multi = multi
    }

    deinit {
        curl_multi_cleanup(multi)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        // The thread itself looks for jobs before it sleeps.
        if !isCurrent { wake() }
    }

    /// Ends the thread's sleep. Any thread may call it.
    func wake() {
        curl_multi_wakeup(multi)
    }

    func checkIsolated() {
        precondition(isCurrent, "not on the transfer loop's thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Starts the thread, which keeps `self` alive until ``stop()``.
    ///
    /// - Parameter drive: Moves the transfers on and says how long the thread may sleep, in milliseconds.
    func start(drive: @escaping @Sendable () -> Int32) {
        let body = Unmanaged.passRetained(Body { self.run(drive: drive) })
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
        precondition(code == 0, "pthread_create failed: \(code)")
        pthread_detach(handle)
    }

    /// Ends the thread once its jobs are done.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    private var isCurrent: Bool {
        identity.load(ordering: .acquiring) == UInt(pthread_self())
    }

    private func run(drive: () -> Int32) {
        identity.store(UInt(pthread_self()), ordering: .releasing)
        while true {
            let (jobs, isStopping) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isStopping)
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            let sleep = drive()
            if jobs.isEmpty && isStopping { return }
            if state.withLock({ $0.jobs.isEmpty }) { curl_multi_poll(multi, nil, 0, sleep, nil) }
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
