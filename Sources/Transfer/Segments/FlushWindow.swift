import Core
import Synchronization
import TransferRules

/// Counts the bytes of a download that are written but not recorded, over all its connections. A crash loses at most
/// these bytes.
///
/// Each written window wakes the flush. When as many bytes are unrecorded as ``FlushRules`` allow, the connections wait
/// for the flush. Bytes of writes already in progress may exceed this limit.
final class FlushWindow: Sendable {
    /// The bytes that were written at an instant.
    private struct Mark {
        let at: Duration
        let written: Int64
    }

    private let size: Int64
    private let wake: @Sendable () -> Void
    private let written: Atomic<Int64>
    private let recorded: Atomic<Int64>
    private let nextWake: Atomic<Int64>
    /// The greatest number of unrecorded bytes.
    private let limit: Atomic<Int64>
    /// The beginning of the present measurement of the rate.
    private let mark: Mutex<Mark>
    /// Until when the window was full; nil if it never was.
    private let fullUntil = Mutex<Duration?>(nil)

    /// - Parameters:
    ///   - size: In bytes.
    ///   - segments: The segments recorded so far.
    ///   - now: The present time, for measuring the rate.
    ///   - wake: Called once per written window.
    init(size: Int64, recorded segments: [Segment], at now: Duration = .zero, wake: @escaping @Sendable () -> Void) {
        let durable = segments.durableBytes
        self.size = size
        self.wake = wake
        written = Atomic(durable)
        recorded = Atomic(durable)
        nextWake = Atomic(durable + size)
        limit = Atomic(FlushRules.limit(window: size, rate: nil))
        mark = Mutex(Mark(at: now, written: durable))
    }

    /// The shortest time over which the rate is measured.
    private static let shortestMeasurement = Duration.milliseconds(250)

    var isFull: Bool {
        let unrecorded = written.load(ordering: .acquiring) - recorded.load(ordering: .acquiring)
        return unrecorded >= limit.load(ordering: .relaxed)
    }

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
        measure(at: now)
    }

    /// Adapts the limit to the present rate.
    private func measure(at now: Duration) {
        let total = written.load(ordering: .relaxed)
        let rate = mark.withLock { mark -> Double? in
            let (time, bytes) = (now - mark.at, total - mark.written)
            guard time >= Self.shortestMeasurement else { return nil }
            mark = Mark(at: now, written: total)
            return Double(bytes) / time.inSeconds
        }
        if let rate { limit.store(FlushRules.limit(window: size, rate: rate), ordering: .relaxed) }
    }
}
