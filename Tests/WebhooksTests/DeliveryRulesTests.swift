import Core
@testable import Service
import Testing

/// What each answer of a receiver means (Standard Webhooks 1.0.0).
struct DeliveryRulesTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private static func verdict(
        _ status: Int?,
        attempt: Int = 1,
        random: Double = 0,
        _ change: (inout WebhookClient.Answer) -> Void = { _ in }
    ) -> DeliveryAttempt.Verdict {
        var answer = WebhookClient.Answer(status: status)
        change(&answer)
        return DeliveryRules(schedule: .standard).verdict(on: answer, attempt: attempt, now: now, random: random)
    }

    @Test(arguments: [200, 201, 202, 204, 226, 299])
    func everyTwoHundredIsATaking(_ status: Int) {
        #expect(Self.verdict(status) == .succeeded)
    }

    @Test(arguments: [nil, 100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 429, 500, 502, 503, 504, 599])
    func anythingElseIsTriedAgainAfterFiveSeconds(_ status: Int?) {
        #expect(Self.verdict(status) == .retry(at: Self.now + .seconds(5)))
    }

    @Test func goneDisablesTheWebhook() {
        #expect(Self.verdict(410) == .disables(.gone))
    }

    @Test(arguments: [200, 410, 500])
    func theReceiversWordCountsWhateverItsStatus(_ status: Int) {
        #expect(Self.verdict(status) { $0.instruction = "abort-message" } == .aborted)
        #expect(Self.verdict(status) { $0.instruction = "Disable" } == .disables(.askedByReceiver))
    }

    @Test func aWordThatIsNotKnownMeansNothing() {
        #expect(Self.verdict(204) { $0.instruction = "later" } == .succeeded)
    }

    @Test func theTenthFailureIsTheLast() {
        #expect(Self.verdict(500, attempt: 9) != .exhausted)
        #expect(Self.verdict(500, attempt: 10) == .exhausted)
    }

    @Test func aReceiverMayAskForMoreTimeButNotForLess() {
        #expect(Self.verdict(503) { $0.retryAfter = "3600" } == .retry(at: Self.now + .seconds(3600)))
        #expect(Self.verdict(503) { $0.retryAfter = "1" } == .retry(at: Self.now + .seconds(5)))
        #expect(Self.verdict(503) { $0.retryAfter = "99999999" } == .retry(at: Self.now + .seconds(86_400)))
        #expect(Self.verdict(503) { $0.retryAfter = "soon" } == .retry(at: Self.now + .seconds(5)))
    }

    @Test func aDateIsTakenAgainstTheReceiversOwnClock() {
        let verdict = Self.verdict(503) { answer in
            answer.retryAfter = "Sun, 06 Nov 1994 09:49:37 GMT"
            answer.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        }

        #expect(verdict == .retry(at: Self.now + .seconds(3600)))
    }

    @Test(arguments: [400, 404, 408, 425, 500])
    func onlyAReceiverThatIsOverloadedMayAskForMoreTime(_ status: Int) {
        #expect(Self.verdict(status) { $0.retryAfter = "3600" } == .retry(at: Self.now + .seconds(5)))
    }

    @Test(
        arguments: [
            (429, 0, true), (502, 0, true), (503, 0, true), (504, 0, true), (nil, 0, true), (204, 5, true),
            (500, 0, false),
            (400, 0, false), (204, 0, false), (204, 4, false),
        ] as [(Int?, Int, Bool)]
    )
    func aReceiverThatIsOverloadedSlowOrSilentIsSpared(_ status: Int?, _ seconds: Int, _ isSpared: Bool) {
        let answer = WebhookClient.Answer(status: status)

        #expect(DeliveryRules.isSpared(answer, after: .seconds(seconds)) == isSpared)
    }
}
