import Curl
import Synchronization

/// Compares the first bytes of a body with the stored bytes before any other byte is written. If they differ, the body
/// belongs to another file.
final class OverlapComparison: Sendable {
    private struct State {
        var compared = 0
        var hasDifference = false
    }

    /// The stored bytes.
    private let expected: [UInt8]
    private let state = Mutex(State())

    init(_ expected: [UInt8]) {
        self.expected = expected
    }

    /// Whether a byte differed.
    var hasDifference: Bool { state.withLock { $0.hasDifference } }

    /// A sink that compares the overlap and passes all later bytes to `sink`.
    func before(_ sink: any BodySink) -> any BodySink { Sink(comparison: self, sink: sink) }

    /// - Returns: The number of compared bytes; nil if one differs.
    fileprivate func compare(_ bytes: RawSpan) -> Int? {
        state.withLock { state in
            let count = min(bytes.byteCount, expected.count - state.compared)
            for offset in 0..<count {
                // `unsafe`: each offset is within the span.
                let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                guard byte == expected[state.compared + offset] else {
                    state.hasDifference = true
                    return nil
                }
            }
            state.compared += count
            return count
        }
    }

    private final class Sink: BodySink {
        private let comparison: OverlapComparison
        private let sink: any BodySink

        init(comparison: OverlapComparison, sink: any BodySink) {
            self.comparison = comparison
            self.sink = sink
        }

        /// The overlap counts as bytes of the sink: what is offered too early does no harm.
        var leastOffer: Int64 { sink.leastOffer }

        func write(_ bytes: RawSpan) -> SinkResult {
            guard let count = comparison.compare(bytes) else { return .stop }
            guard count > 0 else { return sink.write(bytes) }
            guard count < bytes.byteCount else { return .taken }
            switch sink.write(bytes.extracting(droppingFirst: count)) {
            case .taken: return .taken
            case .part(let rest): return .part(count + rest)
            case .wait: return .part(count)
            case .stop: return .stop
            }
        }
    }
}
