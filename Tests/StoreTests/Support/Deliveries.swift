import GRDB
import Model

enum Deliveries {
    /// An attempt that took no time.
    static func attempt(
        _ verdict: DeliveryAttempt.Verdict,
        at time: Timestamp = Fixture.now
    ) -> DeliveryAttempt {
        DeliveryAttempt(
            startedAt: time,
            duration: .zero,
            status: 200,
            error: nil,
            responseExcerpt: [111, 107],
            verdict: verdict
        )
    }
}

extension Fixture {
    /// Where each delivery of an event stands, and how often it was tried.
    func deliveryStates(of event: EventID) throws -> [(state: DeliveryState?, attempts: Int)] {
        try raw.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT state, attempts FROM delivery WHERE event = (SELECT seq FROM event WHERE id = ?)",
                arguments: [event.text]
            ).map { (DeliveryState(rawValue: $0["state"]), $0["attempts"]) }
        }
    }
}
