import Curl
import Synchronization

/// Keeps the first bytes of a body, reads a little more so that the connection can be used again, then stops.
final class ExcerptSink: BodySink {
    private struct State {
        var excerpt: [UInt8] = []
        var count = 0
    }

    private static let keptBytes = 4 << 10
    private static let readBytes = 64 << 10
    private let state = Mutex(State())

    var excerpt: [UInt8] { state.withLock { $0.excerpt } }

    func write(_ bytes: RawSpan) -> SinkVerdict {
        let kept = (0..<min(bytes.byteCount, Self.keptBytes)).map { bytes[$0] }
        let count = bytes.byteCount
        return state.withLock { state in
            state.count += count
            state.excerpt += kept.prefix(Self.keptBytes - state.excerpt.count)
            return state.count > Self.readBytes ? .stop : .taken
        }
    }
}

extension RawSpan {
    fileprivate subscript(index: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}
