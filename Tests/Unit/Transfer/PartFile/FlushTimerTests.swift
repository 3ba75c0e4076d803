import Core
import Dispatch
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Transfer

struct FlushTimerTests {
    private let time = ManualTime()

    private func makeTimer() -> FlushTimer {
        FlushTimer(interval: .seconds(1), time: time.source, pool: BlockingPool(threads: 4, name: "files"))
    }

    /// How often each transfer was woken.
    private final class Wakes: Sendable {
        private let counts = Mutex<[String: Int]>([:])
        let changes = Signal()

        func wake(_ name: String) -> @Sendable () -> Void {
            {
                self.counts.withLock { $0[name, default: 0] += 1 }
                self.changes.fire()
            }
        }

        subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
    }

    @Test func eachTransferIsWokenOnceInEachInterval() async {
        let (timer, wakes) = (makeTimer(), Wakes())
        let first = timer.add(startWriteback: {}, wake: wakes.wake("first"))
        await time.sleepers(atLeast: 1)
        time.advance(by: .milliseconds(250))
        await time.sleepers(atLeast: 1)
        let second = timer.add(startWriteback: {}, wake: wakes.wake("second"))

        for step in 1...3 {
            time.advance(by: .seconds(1))
            await wakes.changes.wait(for: step * 2)
            await time.sleepers(atLeast: 1)
        }

        #expect(wakes["first"] == 3 && wakes["second"] == 3)
        timer.remove(first)
        timer.remove(second)
    }

    @Test func aTimerWithoutTransfersRests() async {
        let (timer, wakes) = (makeTimer(), Wakes())
        let first = timer.add(startWriteback: {}, wake: wakes.wake("first"))
        let second = timer.add(startWriteback: {}, wake: wakes.wake("second"))
        await time.sleepers(atLeast: 1)

        timer.remove(first)
        timer.remove(first)
        time.advance(by: .seconds(1))
        await wakes.changes.wait(for: 1)
        #expect(wakes["first"] == 0 && wakes["second"] == 1)

        await time.sleepers(atLeast: 1)
        timer.remove(second)
        #expect(time.sleeperCount == 0)

        let third = timer.add(startWriteback: {}, wake: wakes.wake("third"))
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))
        await wakes.changes.wait(for: 2)
        #expect(wakes["third"] == 1)
        timer.remove(third)
    }

    @Test(.hangLimit)
    func aDiskThatDoesNotAnswerHoldsOneThreadAndDelaysNoFlush() async {
        let (timer, wakes, starts) = (makeTimer(), Wakes(), Wakes())
        let disk = DispatchSemaphore(value: 0)
        let registrations = (0..<4).map { _ in
            timer.add(
                startWriteback: {
                    starts.wake("writeback")()
                    disk.wait()
                },
                wake: wakes.wake("flush")
            )
        }

        for step in 1...6 {
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(1))
            await wakes.changes.wait(for: step * 4)
        }

        await starts.changes.wait(for: 1)
        #expect(wakes["flush"] == 24 && starts["writeback"] == 1)
        for _ in 0..<4 { disk.signal() }
        await starts.changes.wait(for: 4)
        for registration in registrations { timer.remove(registration) }
    }

    @Test func theWritebackOfFewFilesIsStartedByTheirFlushes() async {
        let (timer, wakes, starts) = (makeTimer(), Wakes(), Wakes())
        let registrations = (0..<3).map { _ in
            timer.add(startWriteback: starts.wake("writeback"), wake: wakes.wake("flush"))
        }

        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))
        await wakes.changes.wait(for: 3)

        #expect(starts["writeback"] == 0)
        for registration in registrations { timer.remove(registration) }
    }
}
