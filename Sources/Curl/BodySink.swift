/// Where the bytes of a body go.
///
/// `write` is called on the loop's thread, between other transfers: it may copy, count or write to a
/// file, and must not block. The bytes are borrowed until it returns.
public protocol BodySink: AnyObject, Sendable {
    func write(_ bytes: RawSpan) -> SinkVerdict
}

/// A sink's answer to the bytes it was offered.
public enum SinkVerdict: Hashable, Sendable {
    /// The bytes are the sink's now.
    case taken
    /// None was taken. They are offered again, with what came since, after ``Exchange/resume()``.
    case wait
    /// So many of them, from the first on, are the sink's now; the others are offered as after ``wait``.
    case part(Int)
    /// None was taken and no more is wanted: the transfer is aborted with `sinkStopped`.
    case stop
}
