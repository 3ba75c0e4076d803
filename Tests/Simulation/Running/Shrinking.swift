/// Makes a life with a fault smaller, as long as it shows a fault.
///
/// First it finds after how many choices all others may be the plainest ones. Then it makes blocks of the rest plain,
/// half of a stream at first and single choices at last.
struct Shrinking {
    private var choices: [[UInt64]]
    private let run: (Choices) -> Life
    /// How many lives may still be run.
    private var left = 400

    init(_ choices: Choices, run: @escaping (Choices) -> Life) {
        self.choices = choices.made
        self.run = run
    }

    mutating func smallest() -> [[UInt64]] {
        cutEnds()
        // What happens is made plain before the order in which it happens.
        for stream in [.kills, .network, .disk, .clients, .mix, .order] as [Choices.Stream] {
            makePlain(stream.rawValue)
        }
        return choices.map(Self.trimmed)
    }

    private mutating func hasFault(_ choices: [[UInt64]]) -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return !run(Choices(repeating: choices)).faults.isEmpty
    }

    /// Cuts all streams to the same part of their lengths.
    private mutating func cutEnds() {
        var (low, high) = (0, 64)
        while low < high {
            let middle = (low + high) / 2
            let cut = choices.map { Array($0.prefix(($0.count * middle + 63) / 64)) }
            if hasFault(cut) { high = middle } else { low = middle + 1 }
        }
        choices = choices.map { Array($0.prefix(($0.count * high + 63) / 64)) }
    }

    private mutating func makePlain(_ stream: Int) {
        var size = choices[stream].count
        while size > 0 {
            for start in stride(from: 0, to: choices[stream].count, by: size) {
                let end = min(start + size, choices[stream].count)
                guard choices[stream][start..<end].contains(where: { $0 > 1 || $0 == 1 && size == 1 }) else { continue }
                var plain = choices
                for index in start..<end { plain[stream][index] = 0 }
                if hasFault(plain) { choices = plain }
            }
            // Single choices of a long stream would take too many lives.
            size = size / 2 >= max(1, choices[stream].count / 64) ? size / 2 : 0
        }
    }

    private static func trimmed(_ numbers: [UInt64]) -> [UInt64] {
        Array(numbers.prefix((numbers.lastIndex { $0 != 0 } ?? -1) + 1))
    }
}
