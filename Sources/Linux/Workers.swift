import CLinux
import Glibc
import Synchronization

/// The threads of a ``BlockingPool`` and their queue; apart from it, so that they do not keep it alive.
final class Workers: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs = RingQueue<Job>()
        var threads = 0
        /// Those asleep that nobody has woken yet.
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
    private let state = Mutex(State())
    private let wakeUps = Semaphore()

    init(limit: Int, name: String) {
        self.limit = limit
        self.name = name
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

    /// Lets the threads end once the jobs that were handed in are done.
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
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        if pthread_create(&thread, nil, runWorker, context.toOpaque()) == 0 {
            pthread_detach(thread)
            return
        }
        context.release()
        // The machine has no thread left. Others of the pool take the job; if there is none, the caller's thread
        // does, since a job that waits for ever would be worse.
        let stranded = state.withLock { state in
            state.threads -= 1
            return state.threads == 0 ? state.jobs.popFirst() : nil
        }
        stranded?()
    }
}

/// `pthread_create(3)` calls it once, with the reference that was retained for it.
private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // The context is the one that startThread() handed over.
    Unmanaged<Workers>.fromOpaque(context!).takeRetainedValue().work()
    return nil
}
