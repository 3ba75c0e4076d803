import Core
import Testing

@testable import Service

/// How many lines the log has of a receiver that is down.
@Suite struct DeliveryLogLineTests {
    private let webhook = WebhookID(at: Timestamp(milliseconds: 0))

    @Test func theFirstFailureIsLoggedAndThenOneAnHourWithTheirNumber() {
        var log = DeliveryLog()
        let lines = (0..<7200).compactMap { log.record(.attempt, of: webhook, elapsed: .seconds($0)) }

        #expect(lines == [1, 3600])
    }

    @Test func eachKindOfFailureHasItsLine() {
        var log = DeliveryLog()
        let failures: [DeliveryLog.Failure] = [.attempt, .attempt, .delivery, .delivery, .refusal]
        let lines = failures.map { log.record($0, of: webhook, elapsed: .zero) }

        #expect(lines == [1, nil, 1, nil, 1])
    }

    @Test func theFirstSuccessTellsHowManyAttemptsFailed() {
        var log = DeliveryLog()
        for second in 0..<5 { _ = log.record(.attempt, of: webhook, elapsed: .seconds(second)) }

        #expect(log.recordEnd(of: webhook) == 5)
        #expect(log.recordEnd(of: webhook) == 0)
        #expect(log.record(.attempt, of: webhook, elapsed: .seconds(6)) == 1)
    }
}
