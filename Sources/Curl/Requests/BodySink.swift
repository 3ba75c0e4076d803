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
final class ByteCounter: Sendable {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) {
        count.wrappingAdd(Int64(bytes), ordering: .relaxed)
    }
}

/// Collects the small pieces that libcurl delivers into large ones.
///
/// The memory is allocated with the first byte, so a transfer without a body uses none. Its size follows the load:
/// whenever the buffer becomes empty, memory of another size than the present one is given back.
final class GatherBuffer {
    private let presentCapacity: () -> Int
    private let spare: SpareMemory
    private var storage: UnsafeMutableRawBufferPointer?
    private(set) var count = 0

    /// - Parameters:
    ///   - spare: Where memory comes from and is given back to.
    ///   - capacity: The present size for this buffer, in bytes.
    init(from spare: SpareMemory, capacity: @escaping () -> Int) {
        presentCapacity = capacity
        self.spare = spare
    }

    deinit {
        storage?.deallocate()
    }

    /// The size of the allocated memory, in bytes.
    var allocated: Int { storage?.count ?? 0 }

    var isEmpty: Bool { count == 0 }

    func hasRoom(for byteCount: Int) -> Bool {
        byteCount <= (storage?.count ?? presentCapacity()) - count
    }

    func append(_ piece: UnsafeRawBufferPointer) {
        precondition(hasRoom(for: piece.count), "the piece does not fit")
        guard !piece.isEmpty else { return }
        let storage = self.storage ?? spare.allocate(presentCapacity())
        self.storage = storage
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: piece)
        count += piece.count
    }

    /// Calls `body` with the collected bytes, which are valid until it returns.
    func withBytes<Value>(_ body: (RawSpan) -> Value) -> Value {
        body(UnsafeRawBufferPointer(start: storage?.baseAddress, count: count).bytes)
    }

    func removeFirst(_ byteCount: Int) {
        precondition(byteCount <= count, "more than was lent")
        guard let storage, byteCount > 0 else { return }
        let rest = UnsafeRawBufferPointer(rebasing: storage[byteCount..<count])
        UnsafeMutableRawBufferPointer(rebasing: storage[..<rest.count]).copyMemory(from: rest)
        count = rest.count
        if isEmpty { fit() }
    }

    /// - Parameter keepingCapacity: Whether memory of the present size is kept.
    func removeAll(keepingCapacity: Bool = true) {
        count = 0
        if keepingCapacity { return fit() }
        if let storage { spare.deallocate(storage) }
        storage = nil
    }

    /// Gives back memory of another size than the present one.
    private func fit() {
        guard let storage, storage.count != presentCapacity() else { return }
        spare.deallocate(storage)
        self.storage = nil
    }
}

/// Keeps the block of memory that a buffer gave back last. Buffers that live for one read then share one block, which
/// stays in the processor's cache, and malloc(3) does not lay out a thousand of them.
final class SpareMemory {
    private var block: UnsafeMutableRawBufferPointer?

    deinit {
        block?.deallocate()
    }

    func allocate(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        guard let block, block.count == byteCount else { return .allocate(byteCount: byteCount, alignment: 16) }
        self.block = nil
        return block
    }

    func deallocate(_ block: UnsafeMutableRawBufferPointer) {
        self.block?.deallocate()
        self.block = block
    }
}
