/// A range of a download's file with its received bytes. The segments of a download cover its file without gaps or
/// overlaps, in ascending order.
public struct SegmentReading: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        /// Every byte was received.
        case received
        /// A connection fetches the range.
        case running
        /// No connection fetches the range now.
        case waiting
    }

    public var start: Int64
    /// One past the last byte; nil if the size of the file is unknown.
    public var end: Int64?
    /// The received bytes of the range. A connection receives its range from the start.
    public var receivedBytes: Int64
    public var state: State
    /// The rate of a running segment; nil in other states.
    public var bytesPerSecond: Double?
    /// The host and port that a running segment comes from; nil in other states, before the response, and if several
    /// hosts send parts of the range.
    public var authority: String?

    public init(
        start: Int64,
        end: Int64?,
        receivedBytes: Int64,
        state: State,
        bytesPerSecond: Double? = nil,
        authority: String? = nil
    ) {
        self.start = start
        self.end = end
        self.receivedBytes = receivedBytes
        self.state = state
        self.bytesPerSecond = bytesPerSecond
        self.authority = authority
    }

    /// The size of the range in bytes; nil if it is unknown.
    public var size: Int64? { end.map { $0 - start } }

    /// This segment and the following one as one. It is running if either is.
    func merged(with next: Self) -> Self {
        let states = Set([state, next.state])
        return Self(
            start: start,
            end: next.end,
            receivedBytes: receivedBytes + next.receivedBytes,
            state: states.count == 1 ? state : states.contains(.running) ? .running : .waiting,
            bytesPerSecond: bytesPerSecond.map { $0 + (next.bytesPerSecond ?? 0) } ?? next.bytesPerSecond,
            authority: states == [.running] && authority != next.authority ? nil : authority ?? next.authority
        )
    }
}

extension [SegmentReading] {
    /// The maximum number of segments that clients get.
    public static var maximum: Int { 64 }

    /// A file whose received bytes follow byte 0 without a gap.
    ///
    /// - Parameter bytesPerSecond: nil if no connection fetches the file.
    public static func whole(total: Int64?, receivedBytes: Int64, bytesPerSecond: Double? = nil) -> Self {
        guard total != 0 else { return [] }
        let isReceived = receivedBytes == total
        return [
            SegmentReading(
                start: 0,
                end: total,
                receivedBytes: receivedBytes,
                state: isReceived ? .received : bytesPerSecond == nil ? .waiting : .running,
                bytesPerSecond: isReceived ? nil : bytesPerSecond
            )
        ]
    }

    /// Appends a segment that nothing fetches. It is joined with the last one if that has the same state.
    public mutating func append(_ range: Range<Int64>, _ state: SegmentReading.State) {
        guard !range.isEmpty else { return }
        let bytes = state == .received ? range.upperBound - range.lowerBound : 0
        let next = SegmentReading(start: range.lowerBound, end: range.upperBound, receivedBytes: bytes, state: state)
        if let last, last.state == state {
            self[count - 1] = last.merged(with: next)
        } else {
            append(next)
        }
    }

    /// The same ranges in at most `limit` segments. Small segments without a connection are merged first.
    public func merged(atMost limit: Int = Self.maximum) -> Self {
        precondition(limit > 0)
        guard count > limit else { return self }
        let borders = indices.dropFirst().map { Border(at: $0, between: self[$0 - 1], and: self[$0]) }
        let removed = Set(borders.sorted().prefix(count - limit).map(\.index))
        return indices.reduce(into: []) { merged, index in
            if removed.contains(index), let last = merged.last {
                merged[merged.count - 1] = last.merged(with: self[index])
            } else {
                merged.append(self[index])
            }
        }
    }
}

/// The border before the segment at `index`. Borders that a client misses least come first.
private struct Border: Comparable {
    let index: Int
    private let connections: Int
    private let size: Int64

    init(at index: Int, between former: SegmentReading, and latter: SegmentReading) {
        self.index = index
        connections = [former, latter].count { $0.state == .running }
        size = min(former.size ?? .max, latter.size ?? .max)
    }

    static func < (one: Self, other: Self) -> Bool {
        (one.connections, one.size, one.index) < (other.connections, other.size, other.index)
    }
}
