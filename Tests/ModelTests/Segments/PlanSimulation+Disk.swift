import Core
import TestSupport
import TransferRules

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
        steals = []
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
        plan.keep(only: [0..<start, end..<total].filter { !$0.isEmpty })
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
    }
}
