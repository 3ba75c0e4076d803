import Core
import Curl
import Linux
import Synchronization
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Makes the bytes of a running transfer durable and records them, after each window or each second.
///
/// The order guarantees durability: bytes are flushed before the record that names them.
struct Flusher: Sendable {
    let storage: any PartStorage
    let time: TimeSource
    let plan: SharedPlan
    /// nil if no writer waits for records.
    let window: FlushWindow?
    let checkpointSink: any CheckpointSink
    /// Makes the checkpoint for these durable segments and the digests of their new blocks.
    let checkpoint: @Sendable ([Segment], [BlockDigest]) -> Checkpoint

    /// Flushes on each wake-up until the stream ends.
    ///
    /// - Returns: The error that ended the loop early; nil at the end of the stream.
    func run(_ wakes: AsyncStream<Void>) async -> AttemptInterruption? {
        do throws(AttemptInterruption) {
            for await _ in wakes {
                try await flush()
            }
            return nil
        } catch {
            return error
        }
    }

    /// Makes written bytes durable, records them, and resumes transfers that waited for the record.
    func flush() async throws(AttemptInterruption) {
        let (snapshot, written) = plan.snapshot()
        guard !snapshot.isEmpty else { return }
        let durable = try await storage.makeDurable(snapshot)
        guard !durable.isEmpty else { return }
        try await record(durable, written)
    }

    @inline(never)
    private func record(_ snapshot: FlushSnapshot, _ written: [BlockDigest]) async throws(AttemptInterruption) {
        let (segments, blocks) = plan.markDurable(snapshot, written)
        try await mappingSinkErrors { try await checkpointSink.checkpoint(checkpoint(segments, blocks)) }
        window?.updateRecorded(segments, at: time.elapsed)
        plan.updateRecorded(segments, blocks)
    }
}

/// Keeps a small body in memory. Its file is created, written and flushed in one job when the body is complete.
final class MemoryBody: BodySink {
    private let length: Int
    private let throttle: RateThrottle?
    private let onAdvance: @Sendable (Int64) -> Void
    private let taken = Mutex<[UInt8]>([])

    /// - Parameter throttle: The rate limits of the body; nil for none.
    init(length: Int, throttle: RateThrottle? = nil, onAdvance: @escaping @Sendable (Int64) -> Void) {
        self.length = length
        self.throttle = throttle
        self.onAdvance = onAdvance
    }

    /// The bytes received so far.
    var bytes: [UInt8] { taken.withLock { $0 } }

    func write(_ bytes: RawSpan) -> SinkResult {
        var taken = 0
        while taken < bytes.byteCount {
            let rest = bytes.extracting(droppingFirst: taken)
            guard let allowed = throttle.map({ $0.allowance(for: rest.byteCount) }) ?? rest.byteCount else {
                return taken == 0 ? .wait : .part(taken)
            }
            let (end, count) = append(rest.extracting(first: allowed))
            throttle?.spend(count)
            onAdvance(Int64(end))
            // Bytes beyond the announced length do not belong to the file.
            guard count == allowed else { return .stop }
            taken += count
        }
        return .taken
    }

    private func append(_ bytes: RawSpan) -> (end: Int, count: Int) {
        self.taken.withLock { taken in
            let piece = bytes.extracting(first: min(bytes.byteCount, length - taken.count))
            taken.reserveCapacity(length)
            taken.append(contentsOf: piece)
            return (taken.count, piece.byteCount)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(contentsOf span: RawSpan) {
        unsafe span.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}
