import Core
import HTTPFields

/// Decides the result of a delivery from the receiver's response (Standard Webhooks 1.0.0).
struct DeliveryRules: Sendable {
    let schedule: DeliverySchedule

    /// - Parameters:
    ///   - attempt: The number of the attempt, from 1.
    ///   - random: A random number, at least 0 and less than 1.
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

    /// A receiver that takes longer counts as slow.
    private static let patience = Duration.seconds(5)

    /// Whether to send the receiver one delivery at a time for a while: it is overloaded, slow or silent.
    static func isSlow(_ response: WebhookClient.Response, after duration: Duration) -> Bool {
        response.status == nil || asksForTime(response) || duration >= patience
    }

    private static func asksForTime(_ response: WebhookClient.Response) -> Bool {
        [429, 502, 503, 504].contains(response.status)
    }

    /// A redirect is a failure and is never followed, because the rules did not check its target.
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
