import Core
import TestSupport
import TransferRules

/// One download as its coordinator sees it: connections that write, fall silent, are refused and lose work to each
/// other, flushes and rows, damage and crashes, in an order that the seed decides.
///
/// Beside the plan it keeps a map of single bytes, which knows what was really written and made durable.
struct PlanSimulation {
    enum ByteState { case missing, written, reported }

    /// A connection's writer. It runs apart from the plan, which learns of its position later.
    struct Writer {
        /// What is meant for the writer of an earlier share does not reach this one.
        var number: Int
        var position: Int64
        /// Where it stops by itself.
        var end: Int64
        /// Where the plan believes that it stops.
        var plannedEnd: Int64
        var reported: Int64
    }

    /// A flush under way, with the write that each byte then held; 0 for none.
    struct Flush {
        let snapshot: FlushSnapshot
        let writes: [Int]
    }

    struct ProposedSteal {
        let steal: Steal
        /// The victim's ``Writer/number``.
        let writer: Int
        /// Once the victim's writer has given it.
        var answer: Int64?
    }

    struct Fault: Error { let text: String }

    static let longest: Int64 = 96

    var random: SplitMix64
    let total: Int64
    let splitMultiple: Int64
    var plan: SegmentPlan
    var bytes: [ByteState]
    /// The number of the write that a byte holds; 0 for none.
    var writes: [Int]
    /// Whether what a byte holds would survive the loss of power.
    var survives: [Bool]
    var writeCount = 0
    var writers: [ConnectionID: Writer] = [:]
    var writerCount = 0
    let mostConnections: Int
    var connections: [ConnectionID]
    /// The steals that were proposed, in their order.
    var steals: [ProposedSteal] = []
    var flush: Flush?
    var rows: [Segment] = []
    var rangesGivenUp = 0
    /// What was durable at the last look, and is not lost.
    var leastDurableBytes: Int64 = 0
    /// Whether nothing goes wrong any more.
    var isQuiet = false

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        total = Int64.random(in: 0...Self.longest, using: &random)
        splitMultiple = random.pick([1, 2, 4, 8])
        plan = SegmentPlan(total: total, splitMultiple: splitMultiple)
        bytes = Array(repeating: .missing, count: Int(total))
        writes = Array(repeating: 0, count: Int(total))
        survives = Array(repeating: false, count: Int(total))
        mostConnections = Int.random(in: 1...6, using: &random)
        connections = (0..<mostConnections).map { ConnectionID($0) }
    }

    /// Runs the whole life of the download; throws at the first thing that must not be.
    mutating func run() throws(Fault) {
        for _ in 0..<Int.random(in: 0...80, using: &random) {
            try step()
            if plan.durableBytes < leastDurableBytes { throw Fault(text: "less is durable than was") }
            leastDurableBytes = plan.durableBytes
            if random.chance(oneIn: 8) { try check() }
        }
        try finish()
    }

    private mutating func step() throws(Fault) {
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<4: try ask(random.pick(connections))
        case 4..<9: try write(random.pick(connections))
        case 9..<11: report(random.pick(connections))
        case 11..<13: answerSteal()
        case 13..<15: try settleSteal()
        case 15: end(random.pick(connections))
        case 16: refuse(random.pick(connections))
        case 17: sayNonsense(random.pick(connections))
        case 18: beginFlush()
        case 19: try endFlush()
        case 20: try record()
        case 21..<23: try extend(random.pick(connections))
        default: if random.chance(oneIn: 2) { try crash() }
        }
    }

    /// No more faults: the rest is fetched, in a bounded number of turns.
    private mutating func finish() throws(Fault) {
        isQuiet = true
        try endFlush()
        beginFlush()
        try endFlush()
        // Connections and the thieves that were refused while their victims were asked, and what was given up.
        if plan.segments.count > 2 * mostConnections + rangesGivenUp {
            throw Fault(text: "\(plan.segments.count) rows")
        }
        var turns = 0
        while !plan.isComplete {
            turns += 1
            if turns > 2 * Int(total) + 20 { throw Fault(text: "no end") }
            for connection in connections {
                try ask(connection)
                try write(connection)
                report(connection)
                if let writer = writers[connection], writer.position == writer.end { end(connection) }
            }
            while !steals.isEmpty {
                answerSteal()
                try settleSteal()
            }
        }
        for connection in connections { end(connection) }
        try endFlush()
        beginFlush()
        try endFlush()
        try record()
        try check()
        let whole = total == 0 ? [] : [Segment(index: rows.first?.index ?? 0, start: 0, end: total, durableEnd: total)]
        if rows != whole { throw Fault(text: "the rows of a whole file: \(rows)") }
        if !plan.isDurable || plan.missingBytes != 0 { throw Fault(text: "not durable") }
    }
}
