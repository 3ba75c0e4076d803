/// A stretch of the file that is filled from its start on: durable, then written, then missing bytes.
struct PlannedSegment: Hashable, Sendable {
    let index: Int
    let start: Int64
    var end: Int64
    var writtenEnd: Int64
    var durableEnd: Int64
    /// Who fetches what is missing; nil for nobody.
    var connection: ConnectionID?

    var isWritten: Bool { writtenEnd == end }
    var remaining: Int64 { end - writtenEnd }

    /// Bytes of which none is written.
    static func missing(_ range: Range<Int64>, index: Int, for connection: ConnectionID?) -> Self {
        Self(
            index: index,
            start: range.lowerBound,
            end: range.upperBound,
            writtenEnd: range.lowerBound,
            durableEnd: range.lowerBound,
            connection: connection
        )
    }

    /// The two as one, or nil where that would not be filled from its start on, or would take bytes from a connection.
    ///
    /// It keeps the index and start of the first: rows of an index only ever change behind their start.
    func joined(with next: PlannedSegment) -> PlannedSegment? {
        guard connection == nil else { return nil }
        let isDurable = durableEnd == end
        let nextIsEmpty = next.writtenEnd == next.start
        var joined = self
        joined.end = next.end
        if isWritten, isDurable || next.durableEnd == next.start {
            joined.writtenEnd = next.writtenEnd
            joined.durableEnd = isDurable ? next.durableEnd : durableEnd
            joined.connection = next.connection
            return joined
        }
        return nextIsEmpty && next.connection == nil ? joined : nil
    }
}
