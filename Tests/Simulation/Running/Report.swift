/// What lives have shown: how many there were, what they reached, and what must not be.
struct Report {
    private(set) var lives = 0
    private(set) var steps = 0
    private(set) var ends = 0
    /// The faults by the seed of their life.
    private(set) var faults: [UInt64: [String]] = [:]
    /// The number that follows from all that happened, by seed.
    private(set) var hashes: [UInt64: UInt64] = [:]
    private(set) var tally: [String: Reached] = [:]

    /// How often a state was reached.
    struct Reached {
        var count: Int
        /// The seed of the first life that reached it.
        var first: UInt64
    }

    mutating func add(_ life: Life) {
        lives += 1
        steps += life.steps
        ends += life.ends
        hashes[life.seed] = life.hash
        if !life.faults.isEmpty { faults[life.seed] = life.faults }
        for (state, count) in life.tally { add(Reached(count: count, first: life.seed), to: state) }
    }

    private mutating func add(_ reached: Reached, to state: String) {
        let known = tally[state]
        tally[state] = Reached(
            count: reached.count + (known?.count ?? 0),
            first: min(reached.first, known?.first ?? .max)
        )
    }

    // MARK: - Between processes

    /// One line for each thing, as a worker prints it.
    var lines: [String] {
        ["lives \(lives) \(steps) \(ends)"]
            + hashes.map { "hash \($0.key) \($0.value)" }
            + faults.flatMap { seed, faults in faults.prefix(3).map { "fault \(seed) \($0)" } }
            + tally.map { "count \($0.value.first) \($0.value.count) \($0.key)" }
    }

    /// Adds what a worker printed.
    ///
    /// - Parameter isAgain: Whether its lives were there before, so that their hashes must be the same.
    mutating func add(_ lines: [Substring], isAgain: Bool = false) {
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3 || line.hasPrefix("lives") else { continue }
            switch words[0] {
            case "lives" where !isAgain:
                let numbers = line.split(separator: " ").compactMap { Int($0) }
                guard numbers.count == 3 else { continue }
                lives += numbers[0]
                steps += numbers[1]
                ends += numbers[2]
            case "hash":
                guard let seed = UInt64(words[1]), let hash = UInt64(words[2]) else { continue }
                if isAgain, let first = hashes[seed], first != hash {
                    addFault("does not repeat: something of it does not follow from the seed", of: seed)
                }
                hashes[seed] = hash
            case "fault":
                guard let seed = UInt64(words[1]) else { continue }
                addFault(String(words[2]), of: seed)
            case "count" where !isAgain:
                let reached = words[2].split(separator: " ", maxSplits: 1)
                guard reached.count == 2, let first = UInt64(words[1]), let count = Int(reached[0]) else { continue }
                add(Reached(count: count, first: first), to: String(reached[1]))
            default: continue
            }
        }
    }

    mutating func addFault(_ fault: String, of seed: UInt64) { faults[seed, default: []].append(fault) }
}
