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
