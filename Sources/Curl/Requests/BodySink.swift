import Synchronization

/// The receiver of a body's bytes.
///
/// `write` is called on the loop's thread, between other transfers: it may copy, count or write to a
/// file, and must not block. The bytes are borrowed until it returns.
public protocol BodySink: AnyObject, Sendable {
    func write(_ bytes: RawSpan) -> SinkResult
}

/// A sink's result for the offered bytes.
public enum SinkResult: Hashable, Sendable {
    /// The sink accepted the bytes.
    case taken
    /// The sink accepted none. They are offered again, with later bytes, after ``Exchange/resume()``.
    case wait
    /// The sink accepted so many of them, from the first on; the others are offered as after ``wait``.
    case part(Int)
    /// The sink accepted none and wants no more: the transfer is aborted with `sinkStopped`.
    case stop
}

/// Counts the bytes of a body on the loop's thread, to be read on any other.
final class ByteCounter: Sendable {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) {
        count.wrappingAdd(Int64(bytes), ordering: .relaxed)
    }
}

/// Collects libcurl's small pieces into large ones.
///
/// The memory is allocated with the first byte, so a transfer without a body costs none.
final class GatherBuffer {
    private let capacity: Int
    private var storage: UnsafeMutableRawBufferPointer?
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    deinit {
        storage?.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    func hasRoom(for byteCount: Int) -> Bool {
        byteCount <= capacity - count
    }

    func append(_ piece: UnsafeRawBufferPointer) {
        precondition(hasRoom(for: piece.count), "the piece does not fit")
        guard !piece.isEmpty else { return }
        let storage = self.storage ?? .allocate(byteCount: capacity, alignment: 4096)
        self.storage = storage
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: piece)
        count += piece.count
    }

    /// Lends the collected bytes.
    func withBytes<Value>(_ body: (RawSpan) -> Value) -> Value {
        body(UnsafeRawBufferPointer(start: storage?.baseAddress, count: count).bytes)
    }

    func removeFirst(_ byteCount: Int) {
        precondition(byteCount <= count, "more than was lent")
        guard let storage, byteCount > 0 else { return }
        let rest = UnsafeRawBufferPointer(rebasing: storage[byteCount..<count])
        UnsafeMutableRawBufferPointer(rebasing: storage[..<rest.count]).copyMemory(from: rest)
        count = rest.count
    }

    func removeAll() {
        count = 0
    }
}
