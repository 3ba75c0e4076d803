import Core
import TestSupport

extension PlanSimulation {
    /// The writer of a victim hears of a steal, and says where it stops from now on.
    mutating func answerSteal() {
        guard let place = steals.indices.first(where: { steals[$0].answer == nil }) else { return }
        let steal = steals[place].steal
        guard var writer = writers[steal.victim], writer.number == steals[place].writer else {
            steals[place].answer = Int64.random(in: 0...total, using: &random)
            return
        }
        // A few writers give nothing away, and few stop even before the proposed end.
        let kept = random.pick([steal.proposedEnd, steal.proposedEnd, steal.proposedEnd, writer.end, writer.position])
        writer.end = min(max(kept, writer.position), writer.end)
        writers[steal.victim] = writer
        steals[place].answer = writer.end
    }

    /// The coordinator hears the answer.
    mutating func settleSteal() throws(Fault) {
        guard let place = steals.indices.first(where: { steals[$0].answer != nil }) else { return }
        let proposed = steals.remove(at: place)
        guard let answer = proposed.answer else { return }
        let steal = proposed.steal
        let share = plan.settle(steal, victimEnd: answer)
        if plan.settle(steal, victimEnd: 0) != nil { throw Fault(text: "settled twice") }
        guard var victim = writers[steal.victim], victim.number == proposed.writer else {
            if share != nil { throw Fault(text: "taken from nobody") }
            return
        }
        // Where the thief is gone, what the victim gave up is nobody's.
        let plannedEnd = min(max(answer, steal.proposedEnd), victim.plannedEnd)
        // What lies behind the bytes that the thief has asked for is nobody's.
        let end = plannedEnd < steal.end ? min(steal.end, victim.plannedEnd) : victim.plannedEnd
        if let share, share.start != plannedEnd || share.end != end || share.connection != steal.thief {
            throw Fault(text: "\(share) of \(steal), answered \(answer)")
        }
        victim.plannedEnd = plannedEnd
        writers[steal.victim] = victim
        if let share { try start(share) }
    }
}
