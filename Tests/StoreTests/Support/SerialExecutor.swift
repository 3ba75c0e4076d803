import Dispatch

/// Runs the tasks that prefer it one after the other, so that a test can wait until each has gone as far as it can.
final class SerialExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "store-tests.serial")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job is run once, by the executor that it was handed to.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Returns once everything that was ready to run has run, and what it made ready in turn.
    func settle() {
        for _ in 0..<20 { queue.sync {} }
    }
}
