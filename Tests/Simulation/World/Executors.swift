import Glibc
// The toolchain's interface for executors of one's own, which Swift 6.3 does not declare public.
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// Makes every job of every task a step of the world.
enum Executors {
    /// Call this first, before anything of the language's concurrency is used.
    static func install() { _createExecutors(factory: Factory.self) }

    private struct Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { Main.shared }
        static var defaultExecutor: any TaskExecutor { Pool.shared }
    }

    private final class Pool: TaskExecutor, SchedulingExecutor {
        static let shared = Pool()

        func enqueue(_ job: consuming ExecutorJob) {
            precondition(pthread_self() == owner, "a thread that the world does not know has made a job ready")
            World.current.add(.job(UnownedJob(job)))
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            at instant: C.Instant,
            tolerance: C.Duration?,
            clock: C
        ) {
            sleep(UnownedJob(job), clock.now.duration(to: instant) as? Duration ?? .zero)
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            after delay: C.Duration,
            tolerance: C.Duration?,
            clock: C
        ) {
            sleep(UnownedJob(job), delay as? Duration ?? .zero)
        }

        private func sleep(_ job: UnownedJob, _ duration: Duration) {
            let (seconds, attoseconds) = duration.components
            let nanoseconds = max(0, seconds) * 1_000_000_000 + max(0, attoseconds / 1_000_000_000)
            World.current.add(.job(job), after: UInt64(nanoseconds))
        }
    }

    private final class Main: MainExecutor {
        static let shared = Main()

        func enqueue(_ job: consuming ExecutorJob) { World.current.add(.mainJob(UnownedJob(job))) }
        func run() throws {}
        func stop() {}
        func checkIsolated() {}
    }

    /// The only thread of the world.
    private static let owner = pthread_self()
}

extension UnownedSerialExecutor {
    /// The executor of jobs that are bound to none. On any other one, each change of actor would be a step more.
    static var generic: UnownedSerialExecutor { unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self) }
}
