import Core
import Linux
import Synchronization
import TestSupport
import TransferRules
import TransferSupport

@testable import Transfer

/// Reads a meter between any two jobs of a pool with one thread, and keeps what it says of verifications.
///
/// It hands itself in again at each turn, so between two stretches that are hashed there is always one of its own.
final class VerificationWatch: Sendable {
    let pool = BlockingPool(threads: 1)
    let meter: ProgressMeter
    private let seen = Mutex<[Int64?]>([])
    private let isOver = Atomic(false)

    init(_ meter: ProgressMeter) {
        self.meter = meter
        check()
    }

    /// The different values while the phase was `verifying`, in their order.
    var verifiedBytes: [Int64] { seen.withLock { $0 }.compactMap(\.self) }

    func end() { isOver.store(true, ordering: .relaxed) }

    private func check() {
        pool.submit { [self] in
            let reading = meter.reading
            if reading.phase == .verifying {
                seen.withLock { if $0.last != .some(reading.verifiedBytes) { $0.append(reading.verifiedBytes) } }
            }
            if !isOver.load(ordering: .relaxed) { check() }
        }
    }
}

/// Works on an assignment with the engine of `bench`, on a pool with one thread.
///
/// - Returns: The outcome, and how much was verified whenever there was something else to do.
func verifications(
    of assignment: Assignment,
    _ bench: Bench
) async -> (outcome: AttemptOutcome, verifiedBytes: [Int64], meter: ProgressMeter) {
    let known = assignment.segments.durableBytes
    let watch = VerificationWatch(ProgressMeter(receivedBytes: known, time: bench.time.source))
    let engine = Engine(
        settings: bench.engine.settings,
        folders: bench.engine.disk.folders,
        pool: watch.pool,
        time: bench.time.source
    )
    let checkpointSink = MemoryCheckpointSink()
    checkpointSink.assignment = assignment
    let outcome = await engine.attempt(assignment, checkpointSink: checkpointSink, meter: watch.meter)
    watch.end()
    await engine.shutdown()
    return (outcome, watch.verifiedBytes, watch.meter)
}

extension AttemptOutcome {
    var file: PublishedFile? {
        if case .published(let file) = self { file } else { nil }
    }

    var failure: TransferFailure? {
        if case .unpublished(.source(.failed(let failure)), _) = self { failure } else { nil }
    }

    var errorCode: DownloadError.Code? { failure?.error.code }

    var isSuspect: Bool { failure?.isSuspect ?? false }

    var madeProgress: Bool {
        switch self {
        case .unpublished(.source, let madeProgress),
            .unpublished(.unrecorded, let madeProgress):
            madeProgress
        case .published, .unpublished: false
        }
    }

    var isUnrecorded: Bool {
        if case .unpublished(.unrecorded, _) = self { true } else { false }
    }

    var isStopped: Bool {
        if case .unpublished(.stopped, _) = self { true } else { false }
    }

    var isLost: Bool {
        if case .unpublished(.lost, _) = self { true } else { false }
    }
}

/// A gzip file (RFC 1952) that decodes to many zeros: one block of fixed codes (RFC 1951, section 3.2.6), in which each
/// thirteen bits stand for 258 bytes.
struct GzipBomb {
    let bytes: [UInt8]

    /// - Parameter byteCount: At least so many zeros come of it. Its checksum is missing, for nobody comes as far.
    init(byteCount: Int) {
        var writer = BitWriter(bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        // The last block, of fixed codes.
        writer.write([1, 1, 0])
        // A zero: the first of the codes of eight bits.
        writer.write([0, 0, 1, 1, 0, 0, 0, 0])
        for _ in 0...(byteCount / 258) {
            // The length 258 is symbol 285, the distance 1 is code 0.
            writer.write([1, 1, 0, 0, 0, 1, 0, 1])
            writer.write([0, 0, 0, 0, 0])
        }
        // The end of the block.
        writer.write([0, 0, 0, 0, 0, 0, 0])
        bytes = writer.bytes
    }

    private struct BitWriter {
        var bytes: [UInt8]
        private var count = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// Fills each byte from its lowest bit on; a code begins with its highest.
        mutating func write(_ bits: [UInt8]) {
            for bit in bits {
                if count % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= bit << (count % 8)
                count += 1
            }
        }
    }
}

extension Content {
    /// The digests of its bytes, block by block.
    var blocks: [BlockDigest] { blocks(before: size) }

    /// Those of what comes before an offset, the last of which may be of a part of a block.
    func blocks(before end: Int64) -> [BlockDigest] {
        var run = BlockRun(from: 0)
        let bytes = bytes(in: 0..<end)
        // The array outlives the call.
        return unsafe run.update(bytes.span.bytes)
    }
}
