import Synchronization

/// Where the bytes of a body go.
///
/// `write` is called on the loop's thread, between other transfers: it may copy, count or write to a
/// file, and must not block. The bytes are borrowed until it returns.
public protocol BodySink: AnyObject, Sendable {
    func write(_ bytes: RawSpan) -> SinkResult
}

/// A sink's answer to the bytes it was offered.
public enum SinkResult: Hashable, Sendable {
    /// The bytes are the sink's now.
    case taken
    /// None was taken. They are offered again, with what came since, after ``Exchange/resume()``.
    case wait
    /// So many of them, from the first on, are the sink's now; the others are offered as after ``wait``.
    case part(Int)
    /// None was taken and no more is wanted: the transfer is aborted with `sinkStopped`.
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

/// Where the small pieces that libcurl hands over become large ones.
///
/// The memory is asked for with the first byte, so a transfer without a body costs none.
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

    /// Lends what was gathered.
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
