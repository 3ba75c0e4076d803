import Core
import Synchronization
import TransferRules

/// Counts the bytes of a download that are written but not recorded, over all its connections. A crash loses at most
/// these bytes.
///
/// Each written window wakes the flush. When two windows are unrecorded, the connections wait for the flush. Bytes of
/// writes already in progress may exceed this limit.
final class FlushWindow: Sendable {
    private let size: Int64
    private let wake: @Sendable () -> Void
    private let written: Atomic<Int64>
    private let recorded: Atomic<Int64>
    private let nextWake: Atomic<Int64>
    /// Until when the window was full; nil if it never was.
    private let fullUntil = Mutex<Duration?>(nil)

    /// - Parameters:
    ///   - size: In bytes.
    ///   - segments: The segments recorded so far.
    ///   - wake: Called once per written window.
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

    /// Whether the window is full now or was after `instant`. In that case the disk delayed all connections by
    /// different times, so their rates cannot be compared.
    func wasFull(after instant: Duration) -> Bool {
        isFull || fullUntil.withLock { until in until.map { $0 > instant } ?? false }
    }

    /// Updates the recorded bytes. The caller must then wake the waiting writers.
    ///
    /// - Parameter now: The time, on the same clock as in ``wasFull(after:)``.
    func updateRecorded(_ segments: [Segment], at now: Duration) {
        if isFull { fullUntil.withLock { $0 = now } }
        recorded.store(segments.durableBytes, ordering: .releasing)
    }
}
