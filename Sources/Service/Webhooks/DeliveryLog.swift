import Core

/// Which failed deliveries have a line in the log. A receiver that is down for days would otherwise fill it.
struct DeliveryLog {
    /// The kinds of failures that repeat.
    enum Failure: Hashable, CaseIterable, Sendable {
        /// An attempt that is repeated later.
        case attempt
        /// The last attempt of a delivery.
        case delivery
        /// An attempt that the rules for destinations refused. It is counted as an attempt too.
        case refusal
    }

    private struct Key: Hashable {
        let webhook: WebhookID
        let failure: Failure
    }

    private var lines = RepeatedLines<Key>(every: .seconds(3600))

    /// - Parameter elapsed: The elapsed time of the monotonic clock.
    /// - Returns: The number of failures that the line is for; nil if none is to be written now.
    mutating func record(_ failure: Failure, of webhook: WebhookID, elapsed: Duration) -> Int? {
        lines.record(Key(webhook: webhook, failure: failure), elapsed: elapsed)
    }

    /// Forgets the failures of a webhook, because a delivery was accepted or the webhook was disabled.
    ///
    /// - Returns: The number of failed attempts since the last accepted delivery.
    mutating func recordEnd(of webhook: WebhookID) -> Int {
        Failure.allCases.reduce(0) { sum, failure in
            let total = lines.end(Key(webhook: webhook, failure: failure))
            return failure == .refusal ? sum : sum + total
        }
    }
}
