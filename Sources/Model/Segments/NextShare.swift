/// What an idle connection is to do.
public enum NextShare: Hashable, Sendable {
    /// Fetch these bytes. They are the connection's until it is released.
    case fetch(SegmentShare)
    /// Ask the victim's writer to stop at ``Steal/proposedEnd``, and settle the steal with its answer.
    case steal(Steal)

    /// The first byte to ask for.
    public var start: Int64 {
        switch self {
        case .fetch(let share): share.start
        case .steal(let steal): steal.proposedEnd
        }
    }
}
