import Core
import Linux
import Synchronization
import TestSupport
@testable import Transfer

/// Reads a meter between any two jobs of a pool with one thread, and keeps what it says of verifications.
///
/// It hands itself in again at each turn, so between two stretches that are hashed there is always one of its own.
final class VerificationWatch: Sendable {
    let pool = BlockingPool(threads: 1)
    let meter: ProgressMeter
    private let seen = Mutex<[Int64?]>([])
    private let isOver = Atomic(false)

    init(_ meter: ProgressMeter) {
        self.meter = meter
        look()
    }

    /// The different values while the phase was `verifying`, in their order.
    var verifiedBytes: [Int64] { seen.withLock { $0 }.compactMap(\.self) }

    func end() { isOver.store(true, ordering: .relaxed) }

    private func look() {
        pool.submit { [self] in
            let reading = meter.reading
            if reading.phase == .verifying {
                seen.withLock { if $0.last != .some(reading.verifiedBytes) { $0.append(reading.verifiedBytes) } }
            }
            if !isOver.load(ordering: .relaxed) { look() }
        }
    }
}

/// Works on an assignment with the engine of `bench`, on a pool with one thread.
///
/// - Returns: The outcome, and how much was verified whenever there was something else to do.
func verifications(
    of assignment: Assignment,
    _ bench: Bench
) async -> (outcome: AttemptOutcome, verifiedBytes: [Int64], meter: ProgressMeter) {
    let known = assignment.segments.durableBytes
    let watch = VerificationWatch(ProgressMeter(receivedBytes: known, time: bench.time.source))
    let engine = Engine(
        settings: bench.engine.settings,
        folders: bench.engine.folders,
        pool: watch.pool,
        time: bench.time.source
    )
    let keeper = MemoryKeeper()
    keeper.assignment = assignment
    let outcome = await engine.attempt(assignment, keeper: keeper, meter: watch.meter)
    watch.end()
    await engine.shutdown()
    return (outcome, watch.verifiedBytes, watch.meter)
}
