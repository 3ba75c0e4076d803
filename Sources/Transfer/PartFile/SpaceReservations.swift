import Core
import Linux
import Synchronization

/// The free disk space, less the reservations of downloads that have not used them yet.
///
/// Two limits keep the disk from filling up, and downloads from starting and stopping repeatedly. Nothing starts below
/// the low limit. Once the low limit was reached, nothing starts until the high limit is free again.
public final class SpaceReservations: Sendable {
    private struct State {
        var reserved: Int64 = 0
        var isLow = false
        var isAwaited = false
    }

    /// The disk space that downloads leave free, in bytes.
    let low: Int64
    /// The free space at which waiting downloads continue, in bytes.
    let high: Int64
    private let readFree: @Sendable () throws(SystemError) -> Int64
    private let state = Mutex(State())

    /// Below this, in bytes, the disk counts as full, whatever the settings are.
    private static let leastFree: Int64 = 1 << 20

    init(low: Int64, high: Int64, readFree: @escaping @Sendable () throws(SystemError) -> Int64) {
        self.low = low
        self.high = max(low, high)
        self.readFree = readFree
    }

    /// Reserves space that the caller will use. Blocks.
    ///
    /// - Returns: nil if less than `low` would stay free.
    func reserve(_ bytes: Int64) throws(SystemError) -> SpaceReservation? {
        let free = try readFree()
        let isKept = state.withLock { state in
            let left = free.subtractingClamped(state.reserved)
            if left < low { state.isLow = true }
            guard left.subtractingClamped(bytes) >= low else { return false }
            state.reserved += bytes
            return true
        }
        return isKept ? SpaceReservation(bytes, reservations: self) : nil
    }

    func change(from old: Int64, to new: Int64) {
        state.withLock { $0.reserved += new - old }
    }

    /// The free bytes (nil if they cannot be read) and the reserved bytes. Blocks the thread.
    func current() -> (free: Int64?, reserved: Int64) {
        let free = try? readFree()
        return (free == .max ? nil : free, state.withLock { $0.reserved })
    }

    // MARK: - Waiting

    /// Whether there is too little space for another download to start.
    public var isLow: Bool { state.withLock { $0.isLow } }

    /// Whether there is too little space, or a download has started to wait for space since ``clearAwaited()``.
    public var isShort: Bool { state.withLock { $0.isLow || $0.isAwaited } }

    public func clearAwaited() { state.withLock { $0.isAwaited = false } }

    /// Records that a download waits for space. Blocks.
    public func recordSpaceShortage() {
        // If the free space is unknown, it counts as 0.
        let free = (try? readFree()) ?? 0
        state.withLock { state in
            state.isAwaited = true
            if free.subtractingClamped(state.reserved) < max(low, Self.leastFree) { state.isLow = true }
        }
    }

    /// The free space above the high limit, negative below it; nil if the free space cannot be read. Blocks.
    func roomAboveLimit() -> Int64? {
        guard let free = try? readFree() else { return nil }
        return free.subtractingClamped(state.withLock { $0.reserved }).subtractingClamped(max(high, Self.leastFree))
    }

    /// The free space above the high limit, for waiting downloads; nil while the limit is not reached. Blocks.
    public func roomForWaiting() -> Int64? {
        guard let room = roomAboveLimit(), room >= 0 else { return nil }
        state.withLock { $0.isLow = false }
        return room
    }
}

/// Reserved disk space of a download. The unused part is released with the last reference.
final class SpaceReservation: Sendable {
    private let bytes: Mutex<Int64>
    private let reservations: SpaceReservations

    init(_ bytes: Int64, reservations: SpaceReservations) {
        self.bytes = Mutex(bytes)
        self.reservations = reservations
    }

    deinit { shrink(0) }

    /// Sets the unused part of the reservation, in bytes.
    func shrink(_ count: Int64) {
        let old = bytes.withLock { bytes in
            defer { bytes = count }
            return bytes
        }
        reservations.change(from: old, to: count)
    }
}

extension Int64 {
    fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}

/// The reservations of a body of unknown length. One window at a time is reserved before it is written, so that many
/// such bodies together respect the low limit.
final class SpaceWindow: Sendable {
    private struct State {
        var end: Int64 = 0
        var reservation: SpaceReservation?
    }

    /// Small, so that many bodies fit on a small disk. Reading the free space for each window costs little.
    private static let windowBytes: Int64 = 1 << 20

    /// The room that lets a body continue for more than one window.
    static let leastRoom = 2 * windowBytes

    private let reservations: SpaceReservations
    private let state = Mutex(State())

    init(_ reservations: SpaceReservations) {
        self.reservations = reservations
    }

    /// Reserves space for bytes that are about to be written. All bytes before `range` are already written. Blocks.
    ///
    /// - Returns: false if less than the low limit would stay free.
    func reserve(_ range: Range<Int64>) throws(SystemError) -> Bool {
        let (reservation, end) = state.withLock { ($0.reservation, $0.end) }
        if let reservation, range.upperBound <= end {
            // Written bytes have already reduced the free space.
            reservation.shrink(end - range.lowerBound)
            return true
        }
        reservation?.shrink(0)
        let count = Int64(range.count) + Self.windowBytes
        let reserved = try reservations.reserve(count)
        state.withLock { $0 = State(end: range.lowerBound + count, reservation: reserved) }
        return reserved != nil
    }
}
