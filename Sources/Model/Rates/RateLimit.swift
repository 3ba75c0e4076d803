/// What a window of a schedule allows.
public enum RateLimit: Hashable, Sendable {
    case unlimited
    /// At least 1.
    case bytesPerSecond(Int64)

    /// - Parameter bytesPerSecond: nil for no limit.
    public init(bytesPerSecond: Int64?) {
        self = bytesPerSecond.map { .bytesPerSecond(max($0, 1)) } ?? .unlimited
    }

    /// nil for no limit.
    public var bytesPerSecond: Int64? {
        switch self {
        case .unlimited: nil
        case .bytesPerSecond(let rate): rate
        }
    }
}
