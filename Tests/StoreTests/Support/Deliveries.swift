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
