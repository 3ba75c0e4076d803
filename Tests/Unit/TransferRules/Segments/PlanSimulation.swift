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

    struct ProposedSplit {
        let split: ShareSplit
        /// The victim's ``Writer/number``.
        let writer: Int
        /// Once the victim's writer has given it.
        var victimEnd: Int64?
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
    var splits: [ProposedSplit] = []
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
        case 0..<4: try request(random.pick(connections))
        case 4..<9: try write(random.pick(connections))
        case 9..<11: report(random.pick(connections))
        case 11..<13: endVictim()
        case 13..<15: try finishSplit()
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
                try request(connection)
                try write(connection)
                report(connection)
                if let writer = writers[connection], writer.position == writer.end { end(connection) }
            }
            while !splits.isEmpty {
                endVictim()
                try finishSplit()
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

extension PlanSimulation {
    mutating func beginFlush() {
        guard flush == nil else { return }
        flush = Flush(snapshot: plan.snapshot(), writes: writes)
    }

    /// The flush succeeds, or fails and ends the attempt: the next one begins with what was recorded.
    mutating func endFlush() throws(Fault) {
        guard let flush else { return }
        self.flush = nil
        if !isQuiet, random.chance(oneIn: 10) { return try crash() }
        for position in bytes.indices where writes[position] != 0 && flush.writes[position] == writes[position] {
            survives[position] = true
        }
        plan.markDurable(flush.snapshot)
    }

    mutating func record() throws(Fault) {
        rows = plan.segments
        for row in rows {
            guard let end = row.end, 0 <= row.start, row.start < row.durableEnd, row.durableEnd <= end, end <= total
            else { throw Fault(text: "row \(row)") }
            for position in Int(row.start)..<Int(row.durableEnd) where !survives[position] {
                throw Fault(text: "\(row) claims byte \(position)")
            }
        }
        for (row, next) in zip(rows, rows.dropFirst()) where row.end ?? 0 > next.start {
            throw Fault(text: "\(row) reaches into \(next)")
        }
        if Set(rows.map(\.index)).count != rows.count { throw Fault(text: "an index twice: \(rows)") }
    }

    /// Only what the rows claim is known afterwards.
    mutating func crash() throws(Fault) {
        if random.chance(oneIn: 2) { try record() }
        plan = SegmentPlan(total: total, stored: rows.shuffled(using: &random), splitMultiple: splitMultiple)
        leastDurableBytes = plan.durableBytes
        writers = [:]
        splits = []
        flush = nil
        var isClaimed = Array(repeating: false, count: bytes.count)
        for row in rows {
            for position in Int(row.start)..<Int(row.durableEnd) { isClaimed[position] = true }
        }
        for position in bytes.indices where !isClaimed[position] { forget(position) }
        if plan.durableBytes != Int64(isClaimed.count(where: \.self)) { throw Fault(text: "lost what was recorded") }
        if random.chance(oneIn: 2) { try damage() }
        try check()
    }

    /// The disk is not what was recorded: some bytes are given up before anything is fetched.
    private mutating func damage() throws(Fault) {
        let start = Int64.random(in: 0...total, using: &random)
        let end = Int64.random(in: start...min(total, start + 10), using: &random)
        plan.retain(only: [0..<start, end..<total].filter { !$0.isEmpty })
        for position in Int(start)..<Int(end) { forget(position) }
        rangesGivenUp += 1
        leastDurableBytes = plan.durableBytes
        try record()
    }

    /// Compares the plan with the map of bytes.
    func check() throws(Fault) {
        let reported = bytes.count { $0 == .reported }
        if plan.writtenBytes != Int64(reported) { throw Fault(text: "\(plan.writtenBytes) of \(reported) written") }
        if plan.isComplete != (reported == bytes.count) { throw Fault(text: "complete") }
        let contiguous = bytes.firstIndex { $0 != .reported } ?? bytes.count
        if plan.contiguousEnd != Int64(contiguous) { throw Fault(text: "contiguous to \(contiguous)") }
        if plan.durableBytes > plan.writtenBytes { throw Fault(text: "more durable than written") }
        for (connection, writer) in writers
        where plan.remaining(of: connection) != writer.plannedEnd - writer.reported {
            throw Fault(text: "what \(connection) has left")
        }
        if plan.connections.count != writers.count { throw Fault(text: "who works") }
        let underWay = writers.values.reduce(0) { $0 + $1.plannedEnd - $1.reported }
        if plan.hasGap != (plan.missingBytes > underWay) { throw Fault(text: "gap") }
        try checkReadings()
    }

    /// Compares what clients are shown with the plan: it covers the file, in ascending order.
    private func checkReadings() throws(Fault) {
        let starts = writers.mapValues { Int64($0.number) % (total + 1) }
        let readings = plan.readings { id in
            starts[id].map { ConnectionReading(start: $0, bytesPerSecond: 1, authority: nil) }
        }
        var position: Int64 = 0
        for reading in readings {
            guard reading.start == position, let end = reading.end, end > position else {
                throw Fault(text: "readings \(readings)")
            }
            position = end
            switch reading.state {
            case .received where reading.receivedBytes != reading.size, .waiting where reading.receivedBytes != 0:
                throw Fault(text: "\(reading)")
            default: if !(0...(end - reading.start)).contains(reading.receivedBytes) { throw Fault(text: "\(reading)") }
            }
        }
        if position != total { throw Fault(text: "readings up to \(position)") }
        let received = readings.reduce(0) { $0 + $1.receivedBytes }
        if received != plan.writtenBytes { throw Fault(text: "\(received) received") }
    }
}
