/// The rate limit of a window, or of a client.
public enum RateLimit: Hashable, Sendable {
    case unlimited
    /// At least 1.
    case bytesPerSecond(Int64)
    /// All downloads are paused.
    case paused

    /// - Parameter bytesPerSecond: nil for no limit.
    public init(bytesPerSecond: Int64?) {
        self = bytesPerSecond.map { .bytesPerSecond(max($0, 1)) } ?? .unlimited
    }

    /// In bytes per second; nil for no limit.
    public var bytesPerSecond: Int64? {
        switch self {
        case .unlimited, .paused: nil
        case .bytesPerSecond(let rate): rate
        }
    }
}
