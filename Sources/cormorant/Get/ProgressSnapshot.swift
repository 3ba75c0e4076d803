/// What is shown of one file at one moment.
struct ProgressSnapshot: Hashable, Sendable {
    enum Activity: Hashable, Sendable {
        case connecting
        case receiving(bytesPerSecond: Double)
        case verifying
        case publishing
        /// The time until the next attempt, and why the last one failed.
        case waiting(Duration, why: String)
    }

    var name: String
    var activity: Activity
    var receivedBytes: Int64
    var totalBytes: Int64?

    /// 0 to 1; nil while the size is unknown.
    var fraction: Double? {
        guard let totalBytes, totalBytes > 0 else { return nil }
        return min(max(Double(receivedBytes) / Double(totalBytes), 0), 1)
    }

    /// The time that the rest takes at the present speed; nil where that cannot be said.
    var remaining: Duration? {
        guard case .receiving(let speed) = activity, let totalBytes, speed >= 1 else { return nil }
        let seconds = Double(max(totalBytes - receivedBytes, 0)) / speed
        return seconds < 1e9 ? .seconds(Int64(seconds.rounded(.up))) : nil
    }
}
