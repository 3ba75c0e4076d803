/// A stored attempt.
public struct LoggedDeliveryAttempt: Hashable, Sendable {
    /// The number of the attempt within the delivery, from 1.
    public var number: Int
    /// Its duration has whole milliseconds.
    public var attempt: DeliveryAttempt
    public var nextAttemptAt: Timestamp?

    public init(number: Int, _ attempt: DeliveryAttempt, nextAttemptAt: Timestamp?) {
        self.number = number
        self.attempt = attempt
        self.nextAttemptAt = nextAttemptAt
    }
}
