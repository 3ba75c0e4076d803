/// First in, first out, in constant time, reusing its room.
struct RingQueue<Element> {
    private var slots: [Element?] = Array(repeating: nil, count: 16)
    private var head = 0
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        // The number of slots is a power of two, so that the mask wraps.
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    private mutating func grow() {
        slots = Array(slots[head...] + slots[..<head]) + Array(repeating: nil, count: slots.count)
        head = 0
    }
}
