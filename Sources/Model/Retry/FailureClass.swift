/// What a failure asks of the scheduler.
public enum FailureClass: Hashable, Sendable {
    /// It may pass: try again and keep the bytes.
    case transient(RetryLimits)
    /// The bytes cannot be relied on, or not be added to: begin again with a plain request, at most `tries` times.
    case startOver(tries: Int)
    /// Someone must give other credentials or another URL.
    case credentials
    /// The disk is full: go on when it is not.
    case space
    /// Reading or writing the part file failed: go on when the disk is well.
    case io
    /// No further attempt can help.
    case permanent
}
