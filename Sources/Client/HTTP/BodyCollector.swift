import Curl
import Synchronization

/// Keeps a whole body in memory.
final class BodyCollector: BodySink {
    private let collected = Mutex<[UInt8]>([])
    private let limit: Int

    /// - Parameter limit: The bytes that are kept at most; further ones are dropped.
    init(limit: Int = .max) { self.limit = limit }

    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ bytes: RawSpan) -> SinkResult {
        let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        collected.withLock { kept in
            if kept.count < limit { kept += copy.prefix(limit - kept.count) }
        }
        return .taken
    }
}
