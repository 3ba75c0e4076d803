import Glibc

/// Sends a body in the framing, at the pace and to the end that a ``Behaviour`` describes.
struct BodyWriter {
    let socket: Socket
    let stream: OriginStream
    let behaviour: Behaviour
    let isStopped: Signal
    private let onSend: (Int) -> Void
    private var sentCount: Int64 = 0

    /// - Parameter onSend: Told how many bytes of the body were sent, each time.
    init(
        socket: Socket,
        stream: OriginStream,
        behaviour: Behaviour,
        isStopped: Signal,
        onSend: @escaping (Int) -> Void
    ) {
        self.onSend = onSend
        self.socket = socket
        self.stream = stream
        self.behaviour = behaviour
        self.isStopped = isStopped
    }

    /// - Returns: Whether the response is whole, so that the connection may go on.
    mutating func write(_ body: ResponsePlan.Body) -> Bool {
        switch body {
        case .none:
            break
        case .text(let text):
            guard write(Array(text.utf8)[...]) else { return false }
        case .bytes(let bytes):
            guard write(bytes[...]) else { return false }
        case .content(let content, let range, let before, let after):
            guard write(Array(before.utf8)[...]) else { return false }
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 256 << 10) {
                let piece = content.bytes(in: start..<min(start + 256 << 10, range.upperBound))
                guard write(piece[...]) else { return false }
            }
            guard write(Array(after.utf8)[...]) else { return false }
        }
        guard !endsHere() else { return false }
        return behaviour.framing == .chunked ? stream.write(Array("0\r\n\r\n".utf8)) : true
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard !endsHere() else { return false }
            if case .stall(let limit, let signal) = behaviour.pace, sentCount == limit {
                signal.waitBlocking(or: isStopped)
            }
            let piece = rest.prefix(nextCount(rest.count))
            guard send(Array(piece)) else { return false }
            sentCount += Int64(piece.count)
            onSend(piece.count)
            rest = rest.dropFirst(piece.count)
            if case .drip(_, let interval) = behaviour.pace { pause(interval) }
        }
        return true
    }

    /// How many bytes may go before something is to happen.
    private func nextCount(_ available: Int) -> Int {
        var count = Int64(available)
        if let limit = behaviour.ending.bodyLimit, limit > sentCount { count = min(count, limit - sentCount) }
        if case .stall(let limit, _) = behaviour.pace, limit > sentCount { count = min(count, limit - sentCount) }
        if case .drip(let byteCount, _) = behaviour.pace { count = min(count, Int64(byteCount)) }
        return Int(count)
    }

    private func send(_ piece: [UInt8]) -> Bool {
        guard behaviour.framing == .chunked else { return stream.write(piece) }
        let size = String(piece.count, radix: 16)
        return stream.write(Array("\(size)\r\n".utf8) + piece + Array("\r\n".utf8))
    }

    /// Whether the connection is to end after what was sent. What comes before its end is sent here.
    private func endsHere() -> Bool {
        guard behaviour.ending.bodyLimit == sentCount else { return false }
        if case .cut(_, .reset) = behaviour.ending { socket.resetOnClose() }
        if case .spoilt(_, let text) = behaviour.ending { _ = stream.write(Array(text.utf8)) }
        if case .damaged = behaviour.ending { stream.writeDamaged(Array("damaged on the way".utf8)) }
        return true
    }

    private func pause(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}

extension Behaviour.Ending {
    /// How many bytes of the body are sent; nil for all.
    fileprivate var bodyLimit: Int64? {
        switch self {
        case .cut(let limit, _), .spoilt(let limit, _), .damaged(let limit): limit
        case .complete, .closedAtOnce, .cutInHead: nil
        }
    }
}
