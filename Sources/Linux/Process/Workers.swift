import CLinux
import Glibc
import Synchronization

/// The threads and the queue of a ``BlockingPool``. It is a separate object, so that the threads do not retain the
/// pool.
final class Workers: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs = RingQueue<Job>()
        var threads = 0
        /// The number of sleeping threads that no signal was sent to.
        var idle = 0
        var isStopping = false
    }

    private enum Need {
        case nothing
        case wake
        case thread
    }

    private enum Step {
        case job(Job)
        case sleep
        case end
    }

    private let limit: Int
    private let name: String
    private let startsThread: @Sendable (Workers) -> Bool
    private let state = Mutex(State())
    private let wakeUps = Semaphore()

    /// - Parameter makeThread: Starts a worker thread; returns false if the system has none left.
    init(
        limit: Int,
        name: String,
        makeThread: @escaping @Sendable (Workers) -> Bool = { $0.makeThread() }
    ) {
        self.limit = limit
        self.name = name
        startsThread = makeThread
    }

    func submit(_ job: @escaping Job) {
        let need = state.withLock { state in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return Need.wake
            }
            guard state.threads < limit else { return Need.nothing }
            state.threads += 1
            return Need.thread
        }
        switch need {
        case .nothing: break
        case .wake: wakeUps.signal()
        case .thread: startThread()
        }
    }

    /// Ends the threads after the queued jobs.
    func stop() {
        let sleepers = state.withLock { state in
            defer { state.idle = 0 }
            state.isStopping = true
            return state.idle
        }
        for _ in 0..<sleepers { wakeUps.signal() }
    }

    fileprivate func work() {
        _ = shim_set_thread_name(name)
        while true {
            switch nextStep() {
            case .job(let job): job()
            case .sleep: wakeUps.wait()
            case .end: return
            }
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return .job(job) }
            if state.isStopping {
                state.threads -= 1
                return .end
            }
            state.idle += 1
            return .sleep
        }
    }

    private func startThread() {
        guard !startsThread(self) else { return }
        state.withLock { $0.threads -= 1 }
        // Other threads of the pool run the job. If there are none, the caller's thread runs the whole queue: otherwise
        // this job would never run, nor would jobs that other callers added while they expected the thread to start.
        while let stranded = state.withLock({ $0.threads == 0 ? $0.jobs.popFirst() : nil }) { stranded() }
    }

    private func makeThread() -> Bool {
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runWorker, context.toOpaque()) == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// The entry point of a worker thread (`pthread_create(3)`). It takes over the reference that was retained for it.
private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // The context is the pointer from makeThread(), which is not nil.
    Unmanaged<Workers>.fromOpaque(context!).takeRetainedValue().work()
    return nil
}

/// A first-in, first-out queue. Operations take amortised constant time and reuse the storage.
struct RingQueue<Element> {
    private var slots: [Element?] = Array(repeating: nil, count: 16)
    private var head = 0
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        // The number of slots is a power of two, so the mask computes the remainder.
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    private mutating func grow() {
        slots = Array(slots[head...] + slots[..<head]) + Array(repeating: nil, count: slots.count)
        head = 0
    }
}
