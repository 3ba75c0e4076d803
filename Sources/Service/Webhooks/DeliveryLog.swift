import Core

/// Which failed deliveries have a line in the log.
///
/// A receiver that is down for days would fill it. So the first failure of a kind is logged, then a line an hour with
/// the number of those since the last one, and the first success after them.
struct DeliveryLog {
    /// The kinds of failures that repeat.
    enum Failure: Hashable, Sendable {
        /// An attempt that is repeated later.
        case attempt
        /// The last attempt of a delivery.
        case delivery
        /// An attempt that the rules for destinations refused.
        case refusal
    }

    private struct Key: Hashable {
        let webhook: WebhookID
        let failure: Failure
    }

    private struct Outage {
        /// The elapsed time of the monotonic clock at which the next line may be written.
        var next: Duration
        /// The failures since the last line, and all of them.
        var count = 0
        var total = 0
    }

    private static let interval = Duration.seconds(3600)
    /// The maximum number of remembered outages. Above it all are forgotten, so that their next failures are logged.
    private static let capacity = 4096

    private var outages: [Key: Outage] = [:]

    /// - Parameter elapsed: The elapsed time of the monotonic clock.
    /// - Returns: The number of failures that the line is for; nil if there is none now.
    mutating func record(_ failure: Failure, of webhook: WebhookID, elapsed: Duration) -> Int? {
        let key = Key(webhook: webhook, failure: failure)
        if outages.count >= Self.capacity, outages[key] == nil { outages = [:] }
        var outage = outages[key] ?? Outage(next: elapsed)
        outage.count += 1
        outage.total += 1
        defer { outages[key] = outage }
        guard elapsed >= outage.next else { return nil }
        defer { (outage.next, outage.count) = (elapsed + Self.interval, 0) }
        return outage.count
    }

    /// Forgets the failures of a webhook, because a delivery was accepted or the webhook was disabled.
    ///
    /// - Returns: The number of failed attempts since the last accepted delivery.
    mutating func recordEnd(of webhook: WebhookID) -> Int {
        [.attempt, .delivery, .refusal].reduce(0) { (sum, failure: Failure) in
            let outage = outages.removeValue(forKey: Key(webhook: webhook, failure: failure))
            return failure == .refusal ? sum : sum + (outage?.total ?? 0)
        }
    }
}
