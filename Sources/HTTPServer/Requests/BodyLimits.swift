import Synchronization

/// Counts and limits the bytes of all request bodies in memory.
final class BodyBudget: Sendable {
    private struct State {
        var used = 0
        var highest = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var used: Int { state.withLock { $0.used } }

    /// The maximum so far.
    var highest: Int { state.withLock { $0.highest } }

    /// - Returns: `false` if the limit would be exceeded; the bytes are then not counted.
    func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            guard count <= limit - state.used else { return false }
            state.used += count
            state.highest = max(state.highest, state.used)
            return true
        }
    }

    func release(_ count: Int) {
        guard count > 0 else { return }
        state.withLock { $0.used -= count }
    }
}

/// How the end of a request body is determined.
enum BodyLength: Equatable {
    case declared(UInt64)
    case chunked

    var isEmpty: Bool { self == .declared(0) }

    func exceeds(_ limit: Int) -> Bool {
        switch self {
        case .declared(let length): length > UInt64(limit)
        case .chunked: false
        }
    }
}

/// Validates the lines between the chunks of a body in the memory of libmicrohttpd 0.9.75, which also accepts lines
/// that end in a bare line feed. Versions from 1.0 refuse them themselves.
enum ChunkLines {
    /// Whether the lines before a piece of a chunk end in CR LF and have no other CR (RFC 9112, sections 2.2 and 7.1),
    /// as far as they are in memory.
    ///
    /// libmicrohttpd decodes the body in place, beginning at `start`. A piece at `start` continues a chunk, or the line
    /// before it arrived in a separate read and has been overwritten. Before any other piece lie its size line and the
    /// earlier bytes of the same read.
    static func areStrict(before piece: UnsafeRawPointer, from start: UnsafeRawPointer) -> Bool {
        guard piece > start else { return true }
        let before = UnsafeRawBufferPointer(start: start, count: piece - start)
        let last = before.count - 1
        guard isCRLF(before, endingAt: last) else { return false }
        // A size line contains no other line feed, so an earlier line feed ends the previous chunk.
        let previous = before[..<last].lastIndex(of: UInt8(ascii: "\n"))
        let line = before[(previous.map { $0 + 1 } ?? 0)..<(last - 1)]
        return !line.contains(UInt8(ascii: "\r")) && (previous.map { isCRLF(before, endingAt: $0) } ?? true)
    }

    private static func isCRLF(_ bytes: UnsafeRawBufferPointer, endingAt index: Int) -> Bool {
        index > 0 && bytes[index] == UInt8(ascii: "\n") && bytes[index - 1] == UInt8(ascii: "\r")
    }
}
