import Core
import Synchronization
import TestSupport
import Testing

@testable import Transfer

struct FlushTimerTests {
    private let time = ManualTime()

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
        let (timer, wakes) = (FlushTimer(interval: .seconds(1), time: time.source), Wakes())
        let first = timer.add(wakes.wake("first"))
        await time.sleepers(atLeast: 1)
        time.advance(by: .milliseconds(250))
        await time.sleepers(atLeast: 1)
        let second = timer.add(wakes.wake("second"))

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
        let (timer, wakes) = (FlushTimer(interval: .seconds(1), time: time.source), Wakes())
        let first = timer.add(wakes.wake("first"))
        let second = timer.add(wakes.wake("second"))
        await time.sleepers(atLeast: 1)

        timer.remove(first)
        timer.remove(first)
        time.advance(by: .seconds(1))
        await wakes.changes.wait(for: 1)
        #expect(wakes["first"] == 0 && wakes["second"] == 1)

        await time.sleepers(atLeast: 1)
        timer.remove(second)
        #expect(time.sleeperCount == 0)

        let third = timer.add(wakes.wake("third"))
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))
        await wakes.changes.wait(for: 2)
        #expect(wakes["third"] == 1)
        timer.remove(third)
    }
}
