import Core
import Store
import StoreSupport
import Testing

/// What waits for a receiver that is there again.
@Suite struct DeliveryBacklogTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func claim(at seconds: Int64) async throws -> [DueDelivery] {
        try await fixture.store.claimDeliveries(now: Fixture.at(seconds))
    }

    /// Ends a download, and claims what is due then.
    private func deliver(at seconds: Int64) async throws -> [DueDelivery] {
        try await fixture.end(at: Fixture.at(seconds))
        return try await claim(at: seconds)
    }

    private func record(
        _ due: DueDelivery,
        _ result: DeliveryAttempt.Result,
        at seconds: Int64
    ) async throws {
        try await fixture.store.recordDelivery(due, Deliveries.attempt(result, at: Fixture.at(seconds)))
    }

    /// Two events are refused forever, and all others are taken. Each attempt of a schedule comes at its time.
    @Test func aDeliveryIsTriedAsOftenAsItsSchedule() async throws {
        try await fixture.webhook()
        try await fixture.end(2)
        let refused = Set(try await claim(at: 0).map(\.id))
        #expect(refused.count == 2)
        try await fixture.store.recoverDeliveries(after: .all, now: Fixture.now)
        let step: Int64 = 3600
        var steps: [DeliveryID: [Int]] = [:]
        var attempts: [DeliveryID: Int] = [:]
        var second: Int64 = 0
        // Nine hours with a success each minute.
        while second < 9 * step {
            // Those that are refused come last, so that the next success follows two failures.
            let claimed = try await deliver(at: second)
            for due in claimed.filter({ !refused.contains($0.id) }) + claimed.filter({ refused.contains($0.id) }) {
                guard refused.contains(due.id) else {
                    try await record(due, .succeeded, at: second)
                    continue
                }
                attempts[due.id, default: 0] += 1
                if steps[due.id]?.last != due.attemptsMade { steps[due.id, default: []].append(due.attemptsMade) }
                try await record(due, .retry(at: Fixture.at((second / step + 1) * step)), at: second)
            }
            second += 60
        }

        for id in refused {
            // One an hour by the schedule, and no more than one besides.
            #expect(steps[id] == Array(0...9))
            #expect(attempts[id] ?? 0 <= 18)
        }
    }

    @Test func anAttemptThatCameEarlyExhaustsNoSchedule() async throws {
        try await fixture.webhook()
        try await fixture.end(2)
        for due in try await claim(at: 0) { try await record(due, .retry(at: Fixture.at(3600)), at: 0) }
        let due = try #require(try await deliver(at: 10).first)
        try await record(due, .succeeded, at: 10)

        let early = try await claim(at: 10)
        #expect(early.count == 2)
        for due in early { try await record(due, .exhausted, at: 11) }
        #expect(try await claim(at: 3599).isEmpty)
        let planned = try await claim(at: 3600)
        #expect(planned.map(\.attemptsMade) == [1, 1])
        for due in planned { try await record(due, .exhausted, at: 3600) }
        #expect(try fixture.texts("SELECT DISTINCT state FROM delivery ORDER BY state") == ["failed", "succeeded"])
    }

    /// It may have been the last one before the receiver was there again.
    @Test func deliveriesThatFailedBeforeTheFirstSuccessAreDueSoon() async throws {
        try await fixture.webhook()
        try await fixture.end(2)
        for due in try await claim(at: 0) { try await record(due, .retry(at: Fixture.at(3600)), at: 0) }
        let success = try #require(try await deliver(at: 2).first)
        try await record(success, .succeeded, at: 2)

        let early = try await fixture.store.claimDeliveries(
            DeliverySlots(free: 9, perWebhook: 9),
            node: Fixture.node,
            now: Fixture.at(2)
        )
        #expect(early.deliveries.isEmpty && early.next == Fixture.at(7))
        #expect(try await claim(at: 7).count == 2)
    }

    @Test func deliveriesThatFailedAfterTheFirstSuccessKeepTheirSchedule() async throws {
        try await fixture.webhook()
        try await fixture.end(2)
        for due in try await claim(at: 0) { try await record(due, .retry(at: Fixture.at(3600)), at: 0) }
        let success = try #require(try await deliver(at: 10).first)
        let later = try #require(try await deliver(at: 10).first)
        try await record(success, .succeeded, at: 10)
        try await record(later, .retry(at: Fixture.at(3600)), at: 11)

        let released = try await claim(at: 20)
        #expect(released.count == 2 && !released.map(\.id).contains(later.id))
    }
}
