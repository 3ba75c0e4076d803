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

/// Keeps the block of memory that a buffer gave back last. Buffers that live for one read then share one block. It
/// stays in the processor's cache, and the heap does not grow by a block for each transfer.
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
