import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Linux

@Suite struct BlockingPoolTests {
    @Test func jobsRunAtTheSameTime() async {
        let pool = BlockingPool(threads: 4)
        let arrived = Counter()
        let gate = Semaphore()

        // Each waits until the fourth is there: fewer than four threads would never get past.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await pool.run {
                        if arrived.increment() == 4 {
                            for _ in 0..<4 { gate.signal() }
                        }
                        gate.wait()
                    }
                }
            }
        }

        #expect(arrived.value == 4)
    }

    @Test func noMoreJobsRunThanThereAreThreads() async {
        let pool = BlockingPool(threads: 2)
        let running = Counter()

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    await pool.run {
                        running.increment()
                        sched_yield()
                        running.decrement()
                    }
                }
            }
        }

        #expect((1...2).contains(running.highest))
    }

    @Test func everyJobRunsOnceAndItsAnswerComesBack() async {
        let pool = BlockingPool(threads: 3)

        let results = await withTaskGroup(of: Int.self) { group in
            for number in 0..<5000 { group.addTask { await pool.run { number } } }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(results.sorted() == Array(0..<5000))
    }

    @Test func aPoolOfOneThreadKeepsTheOrder() async {
        let pool = BlockingPool(threads: 1)
        let seen = Mutex<[Int]>([])

        for number in 0..<1000 { pool.submit { seen.withLock { $0.append(number) } } }
        await pool.run {}

        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test func anErrorComesBackWithItsType() async {
        let pool = BlockingPool(threads: 1)
        let expected = SystemError(code: EIO, call: "fsync")

        do throws(SystemError) {
            try await pool.run { () throws(SystemError) in throw expected }
            Issue.record("the error was lost")
        } catch {
            #expect(error == expected)
        }
    }

    @Test func withoutAThreadEveryJobRunsOnItsCallers() async {
        let arrived = Counter()
        let done = Counter()
        let gate = Semaphore()
        // Neither caller hears that there is no thread before the other one asks for one, too.
        let workers = Workers(limit: 2, name: "none") { _ in
            if arrived.increment() == 2 {
                for _ in 0..<2 { gate.signal() }
            }
            gate.wait()
            return false
        }
        let callers = BlockingPool(threads: 2)

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { await callers.run { workers.submit { done.increment() } } }
            }
        }

        #expect(done.value == 2)
    }

    @Test func aDroppedPoolFinishesItsJobs() async {
        let gate = Semaphore()
        let count = Counter()

        await withCheckedContinuation { continuation in
            do {
                let pool = BlockingPool(threads: 1)
                pool.submit { gate.wait() }
                for _ in 0..<10 { pool.submit { count.increment() } }
                pool.submit { continuation.resume() }
            }
            gate.signal()
        }

        #expect(count.value == 10)
    }
}
