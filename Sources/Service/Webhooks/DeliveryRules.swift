import Core
import HTTPFields

/// What a receiver's answer means for a delivery (Standard Webhooks 1.0.0).
struct DeliveryRules: Sendable {
    let schedule: DeliverySchedule

    /// - Parameters:
    ///   - attempt: The number of the attempt that was answered, from 1.
    ///   - random: From 0 up to but not including 1.
    func result(
        on response: WebhookClient.Response,
        attempt: Int,
        now: Timestamp,
        random: Double
    ) -> DeliveryAttempt.Result {
        switch response.instruction?.lowercased() {
        case "abort-message": return .aborted
        case "disable": return .disables(.requestedByReceiver)
        default: break
        }
        switch response.status {
        case .some(200...299): return .succeeded
        case 410: return .disables(.gone)
        default: return retry(response, attempt: attempt, now: now, random: random)
        }
    }

    /// How long a receiver may take that is no burden.
    private static let patience = Duration.seconds(5)

    /// Whether the receiver gets one delivery at a time for a while: it reports overload, is slow, or does not answer.
    static func isSpared(_ response: WebhookClient.Response, after duration: Duration) -> Bool {
        response.status == nil || asksForTime(response) || duration >= patience
    }

    private static func asksForTime(_ response: WebhookClient.Response) -> Bool {
        [429, 502, 503, 504].contains(response.status)
    }

    /// A redirect is a failure and is never followed: its target was not checked by the rules.
    private func retry(
        _ response: WebhookClient.Response,
        attempt: Int,
        now: Timestamp,
        random: Double
    ) -> DeliveryAttempt.Result {
        let today = HTTPDate(secondsSinceEpoch: now.seconds)
        let retryAfter = (Self.asksForTime(response) ? response.retryAfter : nil).flatMap { field in
            RetryAfter(field, responseDate: response.date.flatMap { HTTPDate($0, now: today) }, now: today)
        }
        let delay = schedule.delay(beforeAttempt: attempt + 1, random: random, retryAfter: retryAfter)
        return delay.map { .retry(at: now + $0) } ?? .exhausted
    }
}
