import Core
import Curl
import Linux
import Synchronization
import TransferRules

/// Writes the body of one response into a part file, from an offset on, on the transfer loop's thread.
///
/// It never writes past its end, counts the bytes itself, and holds the transfer back while the download's window is
/// full: what a crash can cost is bounded by it.
final class SegmentWriter: BodySink {
    private struct State {
        /// One past the last byte that was written.
        var position: Int64
        /// One past the last byte that is written or about to be.
        var reservedEnd: Int64
        /// One past the last byte that may be written; `Int64.max` while the size is unknown.
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
    ///   - writeback: Tells the kernel to begin writing a range to the disk.
    ///   - begin: Called before the first byte. It sets one past the last byte that may be written, or does not, and
    ///     then none is written. It must set it atomically with the state by which ``limit(to:)`` is called.
    ///   - space: The reservations for a body of unknown length; nil if all of it was reserved before.
    ///   - run: The unfinished block digest before the first byte; nil if none is computed.
    ///   - onAdvance: Called after each write with the position and the new digests.
    ///   - extend: Called in the same way for a later end, if there are bytes behind the current one.
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

    /// One past the last byte that was written.
    var writtenEnd: Int64 { state.withLock { $0.position } }

    /// Whether all that it may write is written.
    var isFull: Bool { state.withLock { $0.hasBegun && $0.position == $0.end } }

    /// Whether a byte has come and there was a place for it.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Why it stopped the transfer, if it did.
    var error: TransferFailure? { state.withLock { $0.failure } }

    /// The unfinished block digest, to continue behind the written bytes; nil if none is computed.
    var run: BlockRun? { running.withLock { $0 } }

    /// Lowers the end, so that another connection can fetch the bytes behind it.
    ///
    /// - Returns: The end from now on: the proposed one, or the former one if the writer is already past the proposed
    ///   one.
    func limit(to proposedEnd: Int64) -> Int64 {
        state.withLock { state in
            if proposedEnd >= state.reservedEnd { state.end = min(state.end, proposedEnd) }
            return state.end
        }
    }

    /// Asked once more is recorded.
    ///
    /// - Returns: Whether the transfer waited and must be resumed.
    func clearWaiting() -> Bool {
        state.withLock { state in
            defer { state.isWaiting = false }
            return state.isWaiting
        }
    }

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
                // The origin sends more than it announced, or the rest is another connection's by now. The surplus is
                // not the file's, and the connection is not to be used again.
                guard extendEnd() else { return .stop }
                continue
            }
            let piece = rest.extracting(first: Int(count))
            if let failure = put(piece, at: position) { return stop(failure) }
            throttle?.spend(Int(count))
            // As it came, and not as the disk gives it back; it is in the processor's cache.
            advance(to: position + count, running.withLock { $0?.update(piece) } ?? [])
            taken += Int(count)
        }
        return .taken
    }

    /// - Returns: Why the bytes could not be written; nil once they are.
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

    /// - Returns: Where to write how many of the bytes; nil to wait until more is recorded.
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
