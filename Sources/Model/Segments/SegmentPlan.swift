/// Which bytes of a file are durable, written, under way and missing, and which connection fetches what.
///
/// The coordinator of one download owns it. The file is always covered by segments without gap or overlap, each
/// filled from its start on, so a byte has one place in the plan and cannot be handed to two connections. Neighbours
/// are joined once they are durable, so their number follows that of the connections at work, not that of the shares
/// handed out; each range that ``keep(only:)`` gives up adds one until it is fetched again.
///
/// Bytes come before the row that claims them: take a ``snapshot()``, flush the part file, ``markDurable(_:)``, and
/// record ``segments`` in place of all that were recorded before.
public struct SegmentPlan: Hashable, Sendable {
    /// The size of the file in bytes.
    public let total: Int64
    /// A steal cuts at a multiple of this many bytes, which keeps writes aligned.
    let splitMultiple: Int64
    /// Ascending; they cover `0..<total`.
    var planned: [PlannedSegment] = []
    var steals: [PendingSteal] = []
    var stealsMade = 0
    var nextIndex = 0

    /// A steal whose victim has not answered.
    struct PendingSteal: Hashable, Sendable {
        let steal: Steal
        /// Whether the thief still waits for it.
        var thiefWaits = true
    }

    /// Plans a file of which some bytes may be stored.
    ///
    /// - Parameters:
    ///   - total: In bytes; not negative.
    ///   - stored: The recorded segments, in any order. A row that lies outside the file, or overlaps another, is not
    ///     believed, nor is the other: their bytes count as missing. An open end means that of the file.
    ///   - splitMultiple: Where steals cut; at least 1.
    public init(total: Int64, stored: [Segment] = [], splitMultiple: Int64 = 65_536) {
        precondition(total >= 0 && splitMultiple > 0)
        self.total = total
        self.splitMultiple = splitMultiple
        cover(with: Self.believed(stored, total: total))
    }
}
