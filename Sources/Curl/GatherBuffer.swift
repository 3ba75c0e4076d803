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
