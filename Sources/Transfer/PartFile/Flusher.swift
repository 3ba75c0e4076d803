import Core
import Curl
import Linux
import Synchronization
import TransferRules

/// Makes the bytes of a running transfer durable, and records them, a window or a second at a time.
///
/// The order is the promise: bytes to the disk first, then the record that claims them.
struct Flusher: Sendable {
    let disk: Disk
    let time: TimeSource
    let part: PartFile
    let plan: SharedPlan
    /// nil if no writer waits for the record.
    let window: FlushWindow?
    let checkpointSink: any CheckpointSink
    /// What is recorded when these segments are durable, with the digests of what is new in them.
    let checkpoint: @Sendable ([Segment], [BlockDigest]) -> Checkpoint

    /// Flushes at each wake-up until there are no more.
    ///
    /// - Returns: What ended it before.
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

    /// Makes written bytes durable, records them, and resumes transfers that waited for that.
    func flush() async throws(AttemptInterruption) {
        let (snapshot, blocks) = plan.snapshot()
        guard !snapshot.isEmpty else { return }
        try await part.synchronizeData(disk)
        let segments = plan.markDurable(snapshot)
        try await mappingSinkErrors { try await checkpointSink.checkpoint(checkpoint(segments, blocks)) }
        window?.updateRecorded(segments, at: time.elapsed)
        plan.updateRecorded(segments, blocks)
    }
}

/// Keeps a small body in memory, so that its file is made, written and flushed in one go once all of it is there.
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

    /// The received bytes so far.
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
            // The surplus of an origin that sends more than it announced is not the file's.
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
