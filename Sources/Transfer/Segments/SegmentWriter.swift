import Core
import Curl
import Linux
import Synchronization
import TransferRules

/// The share of a file that a ``SegmentWriter`` fills. It is called on the thread of the writer.
protocol WriterShare: Sendable {
    /// Called before the first byte, to set the offset after the last byte that may be written. If it sets none,
    /// nothing is written.
    ///
    /// No other connection may take a part of the share before the end is set: an implementation holds the lock under
    /// which it calls ``SegmentWriter/limit(to:)``.
    func begin(_ setEnd: (Int64) -> Void)
    /// Called when the end is reached. It may set a later end.
    func extend(_ setEnd: (Int64) -> Void)
    /// Called after each write with the new position and the new digests.
    func advance(to position: Int64, _ digests: [BlockDigest])
    /// Requests that the kernel start writing a range to the disk.
    func startWriteback(_ range: Range<Int64>)
}

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

    /// The limits of a body.
    struct Limits {
        /// The maximum size of the file; nil for no limit.
        var maxBytes: Int64?
        /// Counts bytes that are not recorded yet; nil for a body that is recorded only at its end.
        var window: FlushWindow?
        /// The rate limits of the body; nil for none.
        var throttle: RateThrottle?
        /// The reservations for a body of unknown length; nil if the whole size was reserved before.
        var space: SpaceWindow?
    }

    private let file: File
    private let share: any WriterShare
    private let limits: Limits
    private let state: Mutex<State>
    private let blockRun: Mutex<BlockRun?>

    private static let writebackBytes: Int64 = 1 << 20

    /// - Parameter blockRun: The unfinished block digest that ends at `start`; nil if none is computed.
    init(
        file: File,
        from start: Int64,
        _ share: any WriterShare,
        _ limits: Limits = Limits(),
        blockRun: BlockRun? = nil
    ) {
        self.file = file
        self.share = share
        self.limits = limits
        self.blockRun = Mutex(blockRun)
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

    /// Whether a first byte has arrived, and the share gave it a place.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// The error that stopped the transfer; nil if none did.
    var error: TransferFailure? { state.withLock { $0.failure } }

    /// The unfinished block digest after the last written byte, to be continued; nil if none is computed.
    var currentBlockRun: BlockRun? { blockRun.withLock { $0 } }

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
            guard let allowed = limits.throttle.map({ $0.allowance(for: rest.byteCount) }) ?? rest.byteCount,
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
            limits.throttle?.spend(Int(count))
            // Hashes the received bytes, not bytes read back from the disk. They are still in the processor's cache.
            advance(to: position + count, blockRun.withLock { $0?.update(piece) } ?? [])
            taken += Int(count)
        }
        return .taken
    }

    /// - Returns: The error; nil if the bytes were written.
    private func put(_ bytes: RawSpan, at position: Int64) -> TransferFailure? {
        if let maxBytes = limits.maxBytes, position + Int64(bytes.byteCount) > maxBytes {
            return TransferFailure(
                DownloadError(.tooLarge, message: "The file is larger than \(maxBytes) bytes.")
            )
        }
        do {
            if let space = limits.space, try !space.reserve(position..<position + Int64(bytes.byteCount)) {
                return TransferFailure(DownloadError(.diskFull, message: "The disk has no room for more bytes."))
            }
            try file.write(bytes, at: position)
            return nil
        } catch {
            return TransferFailure(error)
        }
    }

    private func beginNow() -> Bool {
        share.begin { end in
            state.withLock { state in
                state.hasBegun = true
                state.end = end
            }
        }
        return hasBegun
    }

    private func extendEnd() -> Bool {
        var isExtended = false
        share.extend { end in
            state.withLock { $0.end = end }
            isExtended = true
        }
        return isExtended
    }

    /// - Returns: The position and the number of bytes to write; nil if the writer must wait for a checkpoint.
    private func reserve(_ count: Int64) -> (position: Int64, count: Int64)? {
        state.withLock { state in
            if let window = limits.window, window.isFull {
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
        share.advance(to: position, digests)
        limits.window?.add(count)
        if let writebackStart { share.startWriteback(writebackStart..<position) }
    }

    private func stop(_ cause: TransferFailure) -> SinkResult {
        state.withLock { $0.failure = cause }
        return .stop
    }
}
