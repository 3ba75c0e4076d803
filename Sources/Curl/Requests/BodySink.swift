import Synchronization

/// Receives the bytes of a body.
///
/// `write` is called on the loop's thread, between other transfers. It may copy or count the bytes or write them to a
/// file, but must not block. The bytes are valid until it returns.
public protocol BodySink: AnyObject, Sendable {
    func write(_ bytes: RawSpan) -> SinkResult

    /// The number of collected bytes that are offered at once. Fewer are collected, for fewer writes, and offered with
    /// the next tick of the loop. A sink that acts on a certain byte, such as its last one, returns its distance.
    var leastOffer: Int64 { get }
}

extension BodySink {
    public var leastOffer: Int64 { .max }
}

/// A sink's result for the bytes offered to it.
public enum SinkResult: Hashable, Sendable {
    /// The sink accepted the bytes.
    case taken
    /// The sink accepted no bytes. They are offered again, with later bytes, after ``Exchange/resume()``.
    case wait
    /// The sink accepted this many bytes from the start. The rest is offered again as after ``wait``.
    case part(Int)
    /// The sink accepted no bytes and needs no more. The transfer is aborted with `sinkStopped`.
    case stop
}

/// Counts the bytes of a body on the loop's thread. Any thread may read the count.
public final class ByteCounter: Sendable {
    private let count = Atomic<Int64>(0)

    public init() {}

    public var value: Int64 { count.load(ordering: .relaxed) }

    public func add(_ bytes: Int) {
        count.wrappingAdd(Int64(bytes), ordering: .relaxed)
    }
}
