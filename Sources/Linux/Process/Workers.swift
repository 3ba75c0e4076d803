import CLinux
import Glibc
import Synchronization

/// The threads of a ``BlockingPool`` and their queue; apart from it, so that they do not keep it alive.
final class Workers: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs = RingQueue<Job>()
        var threads = 0
        /// Sleeping threads that have not been woken.
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
        // Other threads of the pool take the job. Without any, the caller's thread runs the whole queue: otherwise the
        // job would never run, and another caller's job may wait for a thread that never started.
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

/// `pthread_create(3)` calls it once, with the reference that was retained for it.
private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // The context is the one that makeThread() handed over.
    Unmanaged<Workers>.fromOpaque(context!).takeRetainedValue().work()
    return nil
}

/// First in, first out, in constant time, reusing its room.
struct RingQueue<Element> {
    private var slots: [Element?] = Array(repeating: nil, count: 16)
    private var head = 0
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        // The number of slots is a power of two, so that the mask wraps.
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
