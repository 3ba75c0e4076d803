/// How long a server asks its client to stay away (RFC 9110, 10.2.3).
public struct RetryAfter: Hashable, Sendable {
    /// At least one second; at most a year, so that no later sum overflows.
    public let delay: Duration

    /// Reads the field's value, which is a number of seconds or a date; nil for anything else.
    ///
    /// A date is taken relative to the response's own `Date`, as both come from one clock, else to `now`. One that
    /// has passed means one second.
    public init?(_ fieldValue: String, responseDate: HTTPDate?, now: HTTPDate) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        if let seconds = cursor.takeDigits() {
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
