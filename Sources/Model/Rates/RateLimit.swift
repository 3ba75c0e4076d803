/// What a schedule allows for a time.
public enum RateLimit: Hashable, Sendable {
    case unlimited
    /// At least 1.
    case bytesPerSecond(Int64)
    /// Nothing is fetched.
    case paused

    /// As written in a setting: nil is no limit, zero a pause. nil for a negative rate.
    public init?(bytesPerSecond: Int64?) {
        switch bytesPerSecond {
        case nil: self = .unlimited
        case 0: self = .paused
        case let rate? where rate > 0: self = .bytesPerSecond(rate)
        default: return nil
        }
    }
}
