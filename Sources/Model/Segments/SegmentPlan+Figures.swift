extension SegmentPlan {
    /// The bytes that are written, durable or not.
    public var writtenBytes: Int64 { planned.reduce(0) { $0 + $1.writtenEnd - $1.start } }

    /// The bytes that are not written yet.
    public var missingBytes: Int64 { total - writtenBytes }

    /// Whether every byte is written.
    public var isComplete: Bool { planned.allSatisfy(\.isWritten) }

    /// How far the file is written from its start without a hole.
    public var contiguousEnd: Int64 { planned.first { !$0.isWritten }?.writtenEnd ?? total }

    /// Whether bytes are missing that no connection fetches.
    public var hasGap: Bool { planned.contains { $0.connection == nil && !$0.isWritten } }

    /// The most bytes that one connection has left.
    public var largestShare: Int64 {
        planned.reduce(0) { $1.connection == nil ? $0 : max($0, $1.remaining) }
    }

    /// The connections that have a share, in the order of their bytes.
    public var connections: [ConnectionID] { planned.compactMap(\.connection) }

    /// One past the last byte of the connection's share; nil where it has none.
    public func end(of connection: ConnectionID) -> Int64? {
        place(of: connection).map { planned[$0].end }
    }

    /// The first missing bytes that no connection fetches; nil without any.
    public var firstGap: Range<Int64>? {
        planned.first { $0.connection == nil && !$0.isWritten }.map { $0.writtenEnd..<$0.end }
    }

    func place(of connection: ConnectionID) -> Int? {
        planned.firstIndex { $0.connection == connection }
    }
}
