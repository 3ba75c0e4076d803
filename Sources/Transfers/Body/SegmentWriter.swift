import Curl
import Linux
import Model
import Synchronization

/// Writes the body of one response into a part file, from an offset on, on the transfer loop's thread.
///
/// It never writes past its end, counts the bytes itself, and holds the transfer back while two windows of
/// bytes are not recorded yet: what a crash can cost is bounded by them.
final class SegmentWriter: BodySink {
    private let file: File
    private let start: Int64
    /// One past the last byte that may be written; nil while the size is unknown.
    private let end: Int64?
    private let maxBytes: Int64?
    private let window: Int64
    private let onAdvance: @Sendable (Int64) -> Void
    private let wake: AsyncStream<Void>.Continuation?

    private let position: Atomic<Int64>
    private let recordedEnd: Atomic<Int64>
    private let isWaiting = Atomic<Bool>(false)
    private let nextWake: Atomic<Int64>
    private let nextWriteback: Atomic<Int64>
    private let failure = Mutex<TransferFailure?>(nil)
    private let writeback: @Sendable (Int64, Int64) -> Void

    private static let writebackBytes: Int64 = 4 << 20

    /// - Parameters:
    ///   - wake: Told once for each window written; nil for a body that is flushed at its end alone.
    ///   - writeback: Asks the kernel to begin writing a range to the disk.
    init(
        file: File,
        from start: Int64,
        to end: Int64?,
        maxBytes: Int64?,
        window: Int64,
        wake: AsyncStream<Void>.Continuation?,
        writeback: @escaping @Sendable (Int64, Int64) -> Void,
        onAdvance: @escaping @Sendable (Int64) -> Void
    ) {
        self.file = file
        self.start = start
        self.end = end
        self.maxBytes = maxBytes
        self.window = window
        self.wake = wake
        self.writeback = writeback
        self.onAdvance = onAdvance
        position = Atomic(start)
        recordedEnd = Atomic(start)
        nextWake = Atomic(start + window)
        nextWriteback = Atomic(start + Self.writebackBytes)
    }

    /// One past the last byte that was written.
    var writtenEnd: Int64 { position.load(ordering: .acquiring) }

    /// One past the last byte that is durable and recorded.
    var recorded: Int64 { recordedEnd.load(ordering: .acquiring) }

    var isFull: Bool { end == writtenEnd }

    /// Why it stopped the transfer, if it did.
    var error: TransferFailure? { failure.withLock { $0 } }

    /// Notes that everything before `offset` is recorded.
    ///
    /// - Returns: Whether the transfer waits for this, and is to be resumed.
    func record(upTo offset: Int64) -> Bool {
        recordedEnd.store(offset, ordering: .sequentiallyConsistent)
        return isWaiting.exchange(false, ordering: .sequentiallyConsistent)
    }

    func write(_ bytes: RawSpan) -> SinkVerdict {
        let position = writtenEnd
        if wake != nil && mustWait(at: position) { return .wait }
        let room = end.map { $0 - position } ?? .max
        let count = min(Int64(bytes.byteCount), room)
        if let maxBytes, position + count > maxBytes {
            return stop(
                TransferFailure(DownloadError(.tooLarge, message: "The file is larger than \(maxBytes) bytes."))
            )
        }
        do {
            try file.write(bytes.extracting(first: Int(count)), at: position)
        } catch {
            return stop(TransferFailure(error))
        }
        advance(to: position + count)
        // The origin sends more than it announced: the surplus is not the file's, and the connection not to be trusted.
        return count < bytes.byteCount ? .stop : .taken
    }

    private func mustWait(at position: Int64) -> Bool {
        guard position - recorded >= 2 * window else { return false }
        // Announced first, then looked at again: whoever records in between sees the announcement.
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        guard position - recordedEnd.load(ordering: .sequentiallyConsistent) >= 2 * window else {
            isWaiting.store(false, ordering: .sequentiallyConsistent)
            return false
        }
        return true
    }

    private func advance(to position: Int64) {
        self.position.store(position, ordering: .releasing)
        onAdvance(position)
        if position >= nextWake.load(ordering: .relaxed) {
            nextWake.store(position + window, ordering: .relaxed)
            wake?.yield()
        }
        let mark = nextWriteback.load(ordering: .relaxed)
        if position >= mark {
            nextWriteback.store(position + Self.writebackBytes, ordering: .relaxed)
            writeback(mark - Self.writebackBytes, position - mark + Self.writebackBytes)
        }
    }

    private func stop(_ cause: TransferFailure) -> SinkVerdict {
        failure.withLock { $0 = cause }
        return .stop
    }
}
