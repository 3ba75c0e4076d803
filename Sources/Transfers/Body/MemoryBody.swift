import Curl
import Synchronization

/// Keeps a small body in memory, so that its file is made, written and flushed in one go once all of it is there.
final class MemoryBody: BodySink {
    private let length: Int
    private let onAdvance: @Sendable (Int64) -> Void
    private let taken = Mutex<[UInt8]>([])

    init(length: Int, onAdvance: @escaping @Sendable (Int64) -> Void) {
        self.length = length
        self.onAdvance = onAdvance
    }

    /// What came so far.
    var bytes: [UInt8] { taken.withLock { $0 } }

    func write(_ bytes: RawSpan) -> SinkVerdict {
        let (end, isAll) = taken.withLock { taken in
            let piece = bytes.extracting(first: min(bytes.byteCount, length - taken.count))
            taken.reserveCapacity(length)
            taken.append(contentsOf: piece)
            return (taken.count, piece.byteCount == bytes.byteCount)
        }
        onAdvance(Int64(end))
        // The surplus of an origin that sends more than it announced is not the file's.
        return isAll ? .taken : .stop
    }
}

extension [UInt8] {
    fileprivate mutating func append(contentsOf span: RawSpan) {
        unsafe span.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}
