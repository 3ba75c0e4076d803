import Core
import FoundationEssentials
import TestSupport
import Testing
import TransferRules

/// Random downloads: no byte is written twice, none is left out, and no row claims what a crash would take.
///
/// `CORMORANT_PLAN_RUNS` sets how many, `CORMORANT_TEST_SEED` the first one's seed.
@Suite struct SegmentPlanPropertyTests {
    private static let shards = 4

    @Test(arguments: 0..<shards)
    func everyByteIsWrittenOnceInAnyOrderWithAnyFault(shard: Int) {
        let environment = ProcessInfo.processInfo.environment
        let runs = environment["CORMORANT_PLAN_RUNS"].flatMap { Int($0) } ?? 30_000
        let firstSeed = environment["CORMORANT_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        if shard == 0 { print("plan test: \(runs) runs from seed \(firstSeed)") }

        for run in stride(from: shard, to: runs, by: Self.shards) {
            let seed = firstSeed &+ UInt64(run)
            let fault = Self.fault(seed: seed)

            #expect(fault == nil, "seed \(seed): \(fault ?? "")")
            if fault != nil { return }
        }
    }

    private static func fault(seed: UInt64) -> String? {
        var simulation = PlanSimulation(seed: seed)
        do {
            try simulation.run()
            return nil
        } catch {
            return error.text
        }
    }
}

extension PlanSimulation {
    /// A connection asks for work.
    mutating func request(_ connection: ConnectionID) throws(Fault) {
        let before = writers[connection]
        let leastShare = Int64.random(in: 0...8, using: &random)
        let mostShare = random.chance(oneIn: 2) ? Int64.max : Int64.random(in: 0...40, using: &random)
        let divisions = (0..<mostConnections).map { _ in
            let retained = Int64.random(in: -20...60, using: &random)
            let urgency = Double.random(in: 0.1...1, using: &random)
            return random.chance(oneIn: 8) ? nil : ShareDivision(retained: retained, urgency: urgency)
        }
        let next = plan.nextShare(for: connection, leastShare: leastShare, mostShare: mostShare) { victim, _ in
            divisions[victim.number]
        }
        if let before, before.position < before.plannedEnd || before.reported < before.plannedEnd {
            if next != nil { throw Fault(text: "work for one that works") }
            return
        }
        // One that has written its share gave it up by asking.
        writers[connection] = nil
        switch next {
        case nil: break
        case .fetch(let share): try start(share)
        case .split(let split):
            guard let victim = writers[split.victim] else { throw Fault(text: "a steal from nobody") }
            let halves = (split.proposedEnd - victim.reported, victim.plannedEnd - split.proposedEnd)
            if halves.0 < max(leastShare, 1) || halves.1 < max(leastShare, 1) || split.requester != connection {
                throw Fault(text: "halves \(halves) of \(split)")
            }
            if split.proposedEnd % splitMultiple != 0 { throw Fault(text: "not aligned") }
            splits.append(ProposedSplit(split: split, writer: victim.number))
        }
    }

    /// A connection that has written its share goes on behind it.
    mutating func extend(_ connection: ConnectionID) throws(Fault) {
        guard var writer = writers[connection], writer.reported == writer.plannedEnd else { return }
        let limit = Int64.random(in: 0...(total + 3), using: &random)
        let mostShare = Int64.random(in: 0...40, using: &random)
        guard let end = plan.extend(connection, upTo: limit, mostShare: mostShare) else { return }
        guard let plannedEnd = plan.end(of: connection), writer.position < end, end <= min(plannedEnd, limit) else {
            throw Fault(text: "\(connection) goes on to \(end)")
        }
        writerCount += 1
        (writer.number, writer.end, writer.plannedEnd) = (writerCount, end, plannedEnd)
        writers[connection] = writer
    }

    mutating func start(_ share: SegmentShare) throws(Fault) {
        let range = share.start..<share.end
        if range.isEmpty || writers[share.connection] != nil { throw Fault(text: "share \(share)") }
        for (connection, writer) in writers where range.overlaps(writer.reported..<writer.plannedEnd) {
            throw Fault(text: "\(share) belongs to \(connection)")
        }
        if bytes[Int(share.start)..<Int(share.end)].contains(where: { $0 != .missing }) {
            throw Fault(text: "\(share) is written")
        }
        writerCount += 1
        writers[share.connection] = Writer(
            number: writerCount,
            position: share.start,
            end: share.end,
            plannedEnd: share.end,
            reported: share.start
        )
    }

    /// Some bytes arrive and are written; none when the connection stalls or has none left.
    mutating func write(_ connection: ConnectionID) throws(Fault) {
        guard var writer = writers[connection], writer.position < writer.end else { return }
        let count = min(Int64.random(in: 0...12, using: &random), writer.end - writer.position)
        for position in Int(writer.position)..<Int(writer.position + count) {
            if bytes[position] != .missing { throw Fault(text: "byte \(position) is written twice") }
            bytes[position] = .written
            writeCount += 1
            writes[position] = writeCount
            survives[position] = false
        }
        writer.position += count
        writers[connection] = writer
    }

    mutating func report(_ connection: ConnectionID) {
        guard var writer = writers[connection] else { return }
        plan.advance(connection, writtenTo: writer.position)
        for position in Int(writer.reported)..<Int(writer.position) { bytes[position] = .reported }
        writer.reported = writer.position
        writers[connection] = writer
    }

    /// A connection ends, at its end or before; now and then nobody hears of its last bytes.
    mutating func end(_ connection: ConnectionID) {
        if isQuiet || !random.chance(oneIn: 6) { report(connection) }
        if let writer = writers.removeValue(forKey: connection) {
            for position in Int(writer.reported)..<Int(writer.position) { forget(position) }
        }
        plan.release(connection)
    }

    /// The origin wants fewer connections: this one is not used again.
    mutating func refuse(_ connection: ConnectionID) {
        guard connections.count > 1 else { return }
        end(connection)
        connections.removeAll { $0 == connection }
    }

    /// What comes too late, or from a connection that has no share, changes nothing.
    mutating func sayNonsense(_ connection: ConnectionID) {
        let position = Int64.random(in: -1...(total + 3), using: &random)
        if let writer = writers[connection] {
            let beyond = random.chance(oneIn: 2) ? writer.plannedEnd + 1 + abs(position) : writer.reported - 1
            plan.advance(connection, writtenTo: beyond)
        } else {
            plan.advance(connection, writtenTo: position)
        }
    }

    mutating func forget(_ position: Int) {
        bytes[position] = .missing
        writes[position] = 0
        survives[position] = false
    }
}

extension PlanSimulation {
    /// The writer of a victim hears of a steal, and says where it stops from now on.
    mutating func endVictim() {
        guard let place = splits.indices.first(where: { splits[$0].victimEnd == nil }) else { return }
        let split = splits[place].split
        guard var writer = writers[split.victim], writer.number == splits[place].writer else {
            splits[place].victimEnd = Int64.random(in: 0...total, using: &random)
            return
        }
        // A few writers give nothing away, and few stop even before the proposed end.
        let end = random.pick([split.proposedEnd, split.proposedEnd, split.proposedEnd, writer.end, writer.position])
        writer.end = min(max(end, writer.position), writer.end)
        writers[split.victim] = writer
        splits[place].victimEnd = writer.end
    }

    /// The coordinator hears the answer.
    mutating func finishSplit() throws(Fault) {
        guard let place = splits.indices.first(where: { splits[$0].victimEnd != nil }) else { return }
        let proposed = splits.remove(at: place)
        guard let victimEnd = proposed.victimEnd else { return }
        let split = proposed.split
        let share = plan.finish(split, victimEnd: victimEnd)
        if plan.finish(split, victimEnd: 0) != nil { throw Fault(text: "settled twice") }
        guard var victim = writers[split.victim], victim.number == proposed.writer else {
            if share != nil { throw Fault(text: "taken from nobody") }
            return
        }
        // Where the thief is gone, what the victim gave up is nobody's.
        let plannedEnd = min(max(victimEnd, split.proposedEnd), victim.plannedEnd)
        // What lies behind the bytes that the thief has asked for is nobody's.
        let end = plannedEnd < split.end ? min(split.end, victim.plannedEnd) : victim.plannedEnd
        if let share, share.start != plannedEnd || share.end != end || share.connection != split.requester {
            throw Fault(text: "\(share) of \(split), answered \(victimEnd)")
        }
        victim.plannedEnd = plannedEnd
        writers[split.victim] = victim
        if let share { try start(share) }
    }
}
