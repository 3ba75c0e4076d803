import TestSupport

/// The choices of a life: everything that chance decides, as lists of numbers by what they are about.
///
/// The plainest choice is 0: the first step that is ready, no fault, no kill. A list that ends is continued with it, so
/// that a life can be made smaller.
struct Choices {
    /// What a choice is about. Each stream has a generator of its own, so that one fault less does not change the rest.
    enum Stream: Int, CaseIterable {
        /// What kind of life it is: how often things fail, how large files are, how many kills there are.
        case mix
        /// Which of the steps that are ready is next.
        case order
        case network
        case disk
        case clients
        case kills
    }

    /// The choices that were made so far.
    private(set) var made: [[UInt64]]
    private var generators: [SplitMix64]
    /// The choices of an earlier life; nil for one whose choices follow from its seed.
    private let given: [[UInt64]]?

    init(seed: UInt64) {
        made = Stream.allCases.map { _ in [] }
        generators = Stream.allCases.map { SplitMix64(seed: seed &* 31 &+ UInt64($0.rawValue)) }
        given = nil
    }

    /// Repeats a life.
    init(repeating given: [[UInt64]]) {
        made = Stream.allCases.map { _ in [] }
        generators = []
        self.given = given
    }

    /// A number below `count`.
    mutating func number(below count: Int, _ stream: Stream) -> Int {
        guard count > 1 else { return 0 }
        return Int(take(stream, plainest: 0) { $0.next() % UInt64(count) } % UInt64(count))
    }

    /// Whether the rarer case of two occurs.
    mutating func chance(oneIn count: Int, _ stream: Stream) -> Bool { number(below: count, stream) == count - 1 }

    /// 64 random bits, for a generator. The standard library asks again after 0.
    mutating func bits(_ stream: Stream) -> UInt64 { max(1, take(stream, plainest: 1) { $0.next() }) }

    private mutating func take(
        _ stream: Stream,
        plainest: UInt64,
        _ draw: (inout SplitMix64) -> UInt64
    ) -> UInt64 {
        let index = stream.rawValue
        let value: UInt64
        if let given {
            let position = made[index].count
            value = position < given[index].count ? given[index][position] : plainest
        } else {
            value = draw(&generators[index])
        }
        made[index].append(value)
        return value
    }
}

/// The choices of a stream as a generator of the standard library.
struct ChoiceGenerator: RandomNumberGenerator {
    let stream: Choices.Stream

    mutating func next() -> UInt64 { World.current.choices.bits(stream) }
}
