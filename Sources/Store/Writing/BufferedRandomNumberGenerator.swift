public import Core
import Glibc
import Synchronization

/// Random numbers of the system, drawn in blocks, because each draw is a system call. They are for ids, which must be
/// unique but are not secret. A block is only in memory, so no number is used again after a crash.
struct BufferedRandomNumberGenerator: RandomNumberGenerator {
    private static let buffer = Mutex(RandomNumberBuffer())

    mutating func next() -> UInt64 { Self.buffer.withLock { $0.next() } }
}

private struct RandomNumberBuffer {
    private static let capacity = 32

    private var numbers: [UInt64] = []

    mutating func next() -> UInt64 {
        if numbers.isEmpty { numbers = Self.draw() }
        // `getentropy` fails only where a sandbox forbids it.
        return numbers.popLast() ?? UInt64.random(in: 0...UInt64.max)
    }

    /// - Returns: ``capacity`` numbers, or none if the system call fails. `getentropy` returns at most 256 bytes.
    private static func draw() -> [UInt64] {
        unsafe Array(unsafeUninitializedCapacity: capacity) { numbers, count in
            let isFilled = unsafe getentropy(numbers.baseAddress, capacity * MemoryLayout<UInt64>.size) == 0
            count = isFilled ? capacity : 0
        }
    }
}

extension Identifier {
    /// Makes a new id for an instant, usually without a system call.
    ///
    /// - Parameter number: As for ``Identifier/init(at:number:using:)``; nil for a random one.
    public init(drawnAt time: Timestamp, number: Int? = nil) {
        var generator = BufferedRandomNumberGenerator()
        if let number {
            self.init(at: time, number: number, using: &generator)
        } else {
            self.init(at: time, using: &generator)
        }
    }
}
