import Model

/// What a receiver's answer means for a delivery (Standard Webhooks 1.0.0).
enum DeliveryRules {
    /// - Parameters:
    ///   - attempt: The number of the attempt that was answered, from 1.
    ///   - random: From 0 up to but not including 1.
    static func verdict(
        on answer: WebhookClient.Answer,
        attempt: Int,
        now: Timestamp,
        random: Double
    ) -> DeliveryAttempt.Verdict {
        switch answer.instruction?.lowercased() {
        case "abort-message": return .aborted
        case "disable": return .disables(reason: "asked_by_receiver")
        default: break
        }
        switch answer.status {
        case .some(200...299): return .succeeded
        case 410: return .disables(reason: "gone")
        default: return retry(answer, attempt: attempt, now: now, random: random)
        }
    }

    /// Whether the receiver says that it is overloaded, and is to be throttled for a while.
    static func isOverloaded(_ answer: WebhookClient.Answer) -> Bool {
        [429, 502, 503, 504].contains(answer.status)
    }

    /// A redirect is a failure like any other: it is never followed, since nobody approved of where it leads.
    private static func retry(
        _ answer: WebhookClient.Answer,
        attempt: Int,
        now: Timestamp,
        random: Double
    ) -> DeliveryAttempt.Verdict {
        let today = HTTPDate(secondsSinceEpoch: now.seconds)
        let retryAfter = answer.retryAfter.flatMap { field in
            RetryAfter(field, responseDate: answer.date.flatMap { HTTPDate($0, now: today) }, now: today)
        }
        let delay = DeliverySchedule.delay(beforeAttempt: attempt + 1, random: random, retryAfter: retryAfter)
        return delay.map { .retry(at: now + $0) } ?? .exhausted
    }
}
