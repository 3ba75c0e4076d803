/// The sizes of the buffers of each transfer, in bytes: large for a few transfers, small for a thousand.
public struct BufferSizes: Hashable, Sendable {
    /// The largest read from the socket.
    public let receive: Int
    /// The largest write to the file.
    public let gather: Int

    /// The smallest size to which a limit of memory or of rate reduces one: libcurl hands over as many bytes at most.
    private static let least = 16 << 10
    /// The most memory for the writes of all transfers together, unless each has the smallest size.
    private static let total = 32 << 20

    /// - Parameters:
    ///   - running: The number of running downloads.
    ///   - connections: The number of their connections.
    public init(running: Int, connections: Int) {
        let sizes =
            switch running {
            // A larger write saves nothing, and the page cache looks for as much contiguous memory (decisions/0051).
            case ...4: (receive: 512 << 10, gather: 256 << 10)
            case ...16: (receive: 128 << 10, gather: 128 << 10)
            case ...64: (receive: 64 << 10, gather: 64 << 10)
            // libcurl keeps a buffer of this size for each transfer to its end, even if more downloads start later.
            case ...256: (receive: 8 << 10, gather: 32 << 10)
            // The slow ones are read once a second. What comes is one write, and its memory is freed after it.
            default: (receive: 4 << 10, gather: 32 << 10)
            }
        let part = Self.total / max(connections, 1)
        // A power of two, so that the sizes change rarely while connections open and close.
        let most = part > 0 ? 1 << (Int.bitWidth - 1 - part.leadingZeroBitCount) : 0
        self.init(receive: sizes.receive, gather: sizes.gather, most: most)
    }

    private init(receive: Int, gather: Int, most: Int) {
        self.receive = min(receive, max(most, Self.least))
        self.gather = min(gather, max(most, Self.least))
    }

    /// Reduces the sizes at a low rate limit, because bytes in a buffer were received before they were counted.
    ///
    /// - Parameter rate: The rate limit, in bytes per second; nil for no limit.
    public func bounded(by rate: Int64?) -> Self {
        guard let rate else { return self }
        return Self(receive: receive, gather: gather, most: Int(clamping: rate / 20))
    }
}
