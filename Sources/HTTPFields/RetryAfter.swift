/// The value of a `Retry-After` field: the time that a server asks its client to wait (RFC 9110, 10.2.3).
public struct RetryAfter: Hashable, Sendable {
    /// At least one second and at most 366 days, so that sums with it cannot overflow.
    public let delay: Duration

    /// Parses the field's value, a number of seconds or a date. Returns nil for anything else.
    ///
    /// A date is relative to the `Date` of the same response, which comes from the same clock; without it, to `now`. A
    /// date in the past means one second.
    public init?(_ fieldValue: String, responseDate: HTTPDate?, now: HTTPDate) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        if let seconds = cursor.parseDigits() {
            cursor.skipWhitespace()
            guard cursor.isAtEnd else { return nil }
            self.init(seconds: seconds.value)
        } else if let date = HTTPDate(fieldValue, now: now) {
            self.init(seconds: date.seconds(since: responseDate ?? now))
        } else {
            return nil
        }
    }

    public init(seconds: Int64) {
        delay = .seconds(min(max(seconds, 1), 366 * 86_400))
    }
}
