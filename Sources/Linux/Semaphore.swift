import Glibc

/// A counting semaphore for threads that may sleep, `sem_overview(7)`; never for a task.
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

    /// Lets one waiter go on, now or when it comes.
    func signal() {
        precondition(sem_post(handle) == 0, "sem_post failed")
    }

    /// Sleeps until there is a signal, and takes it.
    func wait() {
        // A signal handler is the only thing that ends a wait early on a valid semaphore (sem_wait(3)).
        while sem_wait(handle) != 0 {}
    }
}
