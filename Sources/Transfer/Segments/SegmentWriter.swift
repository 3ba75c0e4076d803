import Core
import Curl
import Linux
import Synchronization
import TransferRules

/// Writes the body of one response into a part file from a given offset, on the transfer loop's thread.
///
/// It never writes past its end, counts the bytes itself, and pauses the transfer while the download's window is full.
/// The window limits the bytes that a crash can lose.
final class SegmentWriter: BodySink {
    private struct State {
        /// The offset after the last written byte.
        var position: Int64
        /// The offset after the last byte that is written or being written.
        var reservedEnd: Int64
        /// The offset after the last byte that may be written; `Int64.max` while the size is unknown.
        var end: Int64
        var isWaiting = false
        var hasBegun = false
        var nextWriteback: Int64
        var failure: TransferFailure?
    }

    private let file: File
    private let maxBytes: Int64?
    private let window: FlushWindow?
    private let throttle: RateThrottle?
    private let space: SpaceWindow?
    private let onAdvance: @Sendable (Int64, [BlockDigest]) -> Void
    private let begin: @Sendable (_ setEnd: (Int64) -> Void) -> Void
    private let extend: @Sendable (_ setEnd: (Int64) -> Void) -> Void
    private let writeback: @Sendable (Int64, Int64) -> Void
    private let state: Mutex<State>
    private let running: Mutex<BlockRun?>

    private static let writebackBytes: Int64 = 1 << 20

    /// - Parameters:
    ///   - window: Counts bytes that are not recorded yet; nil for a body that is recorded only at its end.
    ///   - throttle: The rate limits of the body; nil for none.
    ///   - writeback: Requests that the kernel start writing a range to the disk.
    ///   - begin: Called before the first byte, to set the offset after the last byte that may be written. If it sets
    ///     none, nothing is written. The end must be set atomically with the state by which ``limit(to:)`` is called.
    ///   - space: The reservations for a body of unknown length; nil if the whole size was reserved before.
    ///   - run: The unfinished block digest that ends at `start`; nil if none is computed.
    ///   - onAdvance: Called after each write with the new position and the new digests.
    ///   - extend: Called when the end is reached. Like `begin`, it may set a later end.
    init(
        file: File,
        from start: Int64,
        begin: @escaping @Sendable (_ setEnd: (Int64) -> Void) -> Void,
        maxBytes: Int64?,
        window: FlushWindow?,
        throttle: RateThrottle? = nil,
        space: SpaceWindow? = nil,
        run: BlockRun? = nil,
        writeback: @escaping @Sendable (Int64, Int64) -> Void,
        onAdvance: @escaping @Sendable (Int64, [BlockDigest]) -> Void,
        extend: @escaping @Sendable (_ setEnd: (Int64) -> Void) -> Void = { _ in }
    ) {
        self.file = file
        self.maxBytes = maxBytes
        self.window = window
        self.throttle = throttle
        self.space = space
        self.writeback = writeback
        self.onAdvance = onAdvance
        self.begin = begin
        self.extend = extend
        running = Mutex(run)
        state = Mutex(
            State(
                position: start,
                reservedEnd: start,
                end: start,
                nextWriteback: start + Self.writebackBytes
            )
        )
    }

    /// The offset after the last written byte.
    var writtenEnd: Int64 { state.withLock { $0.position } }

    /// Whether every byte up to the end is written.
    var isFull: Bool { state.withLock { $0.hasBegun && $0.position == $0.end } }

    /// Whether a first byte has arrived and could be written.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// The error that stopped the transfer; nil if none did.
    var error: TransferFailure? { state.withLock { $0.failure } }

    /// The unfinished block digest after the last written byte, to be continued; nil if none is computed.
    var run: BlockRun? { running.withLock { $0 } }

    /// Lowers the end, so that another connection can fetch the bytes after it.
    ///
    /// - Returns: The new end: the proposed one, or the current one if the writer is already past the proposed one.
    func limit(to proposedEnd: Int64) -> Int64 {
        state.withLock { state in
            if proposedEnd >= state.reservedEnd { state.end = min(state.end, proposedEnd) }
            return state.end
        }
    }

    /// Clears the waiting state.
    ///
    /// - Returns: Whether the transfer was waiting and must be resumed.
    func clearWaiting() -> Bool {
        state.withLock { state in
            defer { state.isWaiting = false }
            return state.isWaiting
        }
    }

    /// Up to the end, or one byte before the first. The first byte assigns the share, and the last one may complete the
    /// file: other connections wait for both.
    var leastOffer: Int64 { state.withLock { $0.hasBegun ? $0.end - $0.position : 1 } }

    func write(_ bytes: RawSpan) -> SinkResult {
        guard hasBegun || beginNow() else { return .stop }
        var taken = 0
        while taken < bytes.byteCount {
            let rest = bytes.extracting(droppingFirst: taken)
            guard let allowed = throttle.map({ $0.allowance(for: rest.byteCount) }) ?? rest.byteCount,
                let (position, count) = reserve(Int64(allowed))
            else {
                return taken == 0 ? .wait : .part(taken)
            }
            guard count > 0 else {
                // The origin sends more than it announced, or another connection fetches the rest by now. The surplus
                // does not belong to the file, and the connection must not be reused.
                guard extendEnd() else { return .stop }
                continue
            }
            let piece = rest.extracting(first: Int(count))
            if let failure = put(piece, at: position) { return stop(failure) }
            throttle?.spend(Int(count))
            // Hashes the received bytes, not bytes read back from the disk. They are still in the processor's cache.
            advance(to: position + count, running.withLock { $0?.update(piece) } ?? [])
            taken += Int(count)
        }
        return .taken
    }

    /// - Returns: The error; nil if the bytes were written.
    private func put(_ bytes: RawSpan, at position: Int64) -> TransferFailure? {
        if let maxBytes, position + Int64(bytes.byteCount) > maxBytes {
            return TransferFailure(
                DownloadError(.tooLarge, message: "The file is larger than \(maxBytes) bytes.")
            )
        }
        do {
            if let space, try !space.reserve(position..<position + Int64(bytes.byteCount)) {
                return TransferFailure(DownloadError(.diskFull, message: "The disk has no room for more bytes."))
            }
            try file.write(bytes, at: position)
            return nil
        } catch {
            return TransferFailure(error)
        }
    }

    private func beginNow() -> Bool {
        begin { end in
            state.withLock { state in
                state.hasBegun = true
                state.end = end
            }
        }
        return hasBegun
    }

    private func extendEnd() -> Bool {
        var isExtended = false
        extend { end in
            state.withLock { $0.end = end }
            isExtended = true
        }
        return isExtended
    }

    /// - Returns: The position and the number of bytes to write; nil if the writer must wait for a record.
    private func reserve(_ count: Int64) -> (position: Int64, count: Int64)? {
        state.withLock { state in
            if let window, window.isFull {
                state.isWaiting = true
                return nil
            }
            let count = min(count, state.end - state.position)
            state.reservedEnd = state.position + count
            return (state.position, count)
        }
    }

    private func advance(to position: Int64, _ digests: [BlockDigest]) {
        let (count, writebackStart) = state.withLock { state -> (Int64, Int64?) in
            let count = position - state.position
            state.position = position
            guard position >= state.nextWriteback else { return (count, nil) }
            defer { state.nextWriteback = position + Self.writebackBytes }
            return (count, state.nextWriteback - Self.writebackBytes)
        }
        onAdvance(position, digests)
        window?.add(count)
        if let writebackStart { writeback(writebackStart, position - writebackStart) }
    }

    private func stop(_ cause: TransferFailure) -> SinkResult {
        state.withLock { $0.failure = cause }
        return .stop
    }
}
