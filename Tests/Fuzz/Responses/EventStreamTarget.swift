@testable import Client

extension FuzzTarget {
    /// A stream of events, as the client reads it. The first byte chooses the pieces.
    static let eventStream = FuzzTarget(name: "event-stream") { bytes in
        let stream = Array(bytes.dropFirst())
        var (whole, pieces) = (EventParser(), EventParser())
        let blocks = whole.consume(stream)
        let size = Int(bytes.first ?? 0) + 1
        let others = stride(from: 0, to: stream.count, by: size).flatMap { start in
            pieces.consume(Array(stream[start..<min(start + size, stream.count)]))
        }
        try checkSame(blocks, others, "pieces of \(size) bytes change nothing")
        try checkSame(whole.lastID, pieces.lastID, "the last id is the same")
        for block in blocks {
            do { _ = try StreamItem(block) } catch is ClientError {}
        }
    }
}
