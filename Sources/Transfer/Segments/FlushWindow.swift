import Core
import Synchronization
import TransferRules

/// What a download has written and not recorded yet, all of its connections together: as much as a crash can cost.
///
/// Each written window wakes the flush; at two windows the connections wait for it. Bytes that they are just writing
/// are added to that.
final class FlushWindow: Sendable {
    private let size: Int64
    private let wake: @Sendable () -> Void
    private let written: Atomic<Int64>
    private let recorded: Atomic<Int64>
    private let nextWake: Atomic<Int64>
    /// Until when it was full; nil while it never was.
    private let fullUntil = Mutex<Duration?>(nil)

    /// - Parameters:
    ///   - size: In bytes.
    ///   - segments: What is recorded at the beginning.
    ///   - wake: Called once for each written window.
    init(size: Int64, recorded segments: [Segment], wake: @escaping @Sendable () -> Void) {
        let durable = segments.durableBytes
        self.size = size
        self.wake = wake
        written = Atomic(durable)
        recorded = Atomic(durable)
        nextWake = Atomic(durable + size)
    }

    var isFull: Bool { written.load(ordering: .acquiring) - recorded.load(ordering: .acquiring) >= 2 * size }

    func add(_ count: Int64) {
        let total = written.wrappingAdd(count, ordering: .acquiringAndReleasing).newValue
        let next = nextWake.load(ordering: .relaxed)
        guard total >= next else { return }
        let (isMine, _) = nextWake.compareExchange(expected: next, desired: total + size, ordering: .relaxed)
        if isMine { wake() }
    }

    /// Whether it is full, or was after an instant: then the disk held all connections back, each for as long as its
    /// own bytes happened to wait.
    func wasFull(after instant: Duration) -> Bool {
        isFull || fullUntil.withLock { until in until.map { $0 > instant } ?? false }
    }

    /// Updates the recorded bytes. The caller must then wake the waiting writers.
    ///
    /// - Parameter now: On the clock that ``wasFull(after:)`` is asked by.
    func updateRecorded(_ segments: [Segment], at now: Duration) {
        if isFull { fullUntil.withLock { $0 = now } }
        recorded.store(segments.durableBytes, ordering: .releasing)
    }
}
