/// A wish to take the rest of a connection's share for an idle one, until the victim's writer has answered.
///
/// Only ``SegmentPlan/nextShare(for:leastShare:lead:mostShare:)`` makes one, and ``SegmentPlan/settle(_:victimEnd:)``
/// takes each but once: a second answer, or one that comes after the victim was released, changes nothing.
public struct Steal: Hashable, Sendable {
    /// The connection that is to give bytes away.
    public let victim: ConnectionID
    /// The connection that is to have them.
    public let thief: ConnectionID
    /// Where the victim is asked to stop.
    public let proposedEnd: Int64
    /// One past the last byte that the thief is to ask for. What the victim's share has behind it is missing then.
    public let end: Int64
    /// Tells this steal from every other of its plan.
    let number: Int
}
