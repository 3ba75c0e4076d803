import Synchronization

/// Counts the bytes of request bodies that are held, over all connections, and bounds them.
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

    /// The most that was ever held at once.
    var highest: Int { state.withLock { $0.highest } }

    /// - Returns: `false` when there is no room for so many bytes; nothing was counted then.
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

/// How a request tells where its body ends.
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

/// The lines between the chunks of a body, of which libmicrohttpd 0.9.75 takes those too that end in a bare line feed.
enum ChunkLines {
    /// Whether the lines before a piece of a chunk end in CR LF (RFC 9112 section 7.1), as far as they can be seen.
    ///
    /// libmicrohttpd decodes the body in the memory where it reads it, from `start` on. A piece that stands there goes
    /// on with a chunk, or the line before it came by itself and is overwritten. Before any other stand the line with
    /// its size and what came before that in the same read.
    static func areStrict(before piece: UnsafeRawPointer, from start: UnsafeRawPointer) -> Bool {
        guard piece > start else { return true }
        let before = UnsafeRawBufferPointer(start: start, count: piece - start)
        let last = before.count - 1
        guard isCRLF(before, endingAt: last) else { return false }
        // A line with a size has no other line feed: the one before it ends the chunk before.
        guard let previous = before[..<last].lastIndex(of: UInt8(ascii: "\n")) else { return true }
        return isCRLF(before, endingAt: previous)
    }

    private static func isCRLF(_ bytes: UnsafeRawBufferPointer, endingAt index: Int) -> Bool {
        index > 0 && bytes[index] == UInt8(ascii: "\n") && bytes[index - 1] == UInt8(ascii: "\r")
    }
}
