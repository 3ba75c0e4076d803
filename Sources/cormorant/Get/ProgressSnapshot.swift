/// What is shown of one file at one moment.
struct ProgressSnapshot: Hashable, Sendable {
    enum Activity: Hashable, Sendable {
        case connecting
        case receiving(bytesPerSecond: Double)
        /// How much of what was received is hashed or compared; nil where that is not known.
        case verifying(Int64?)
        case publishing
        /// The time until the next attempt, and why the last one failed.
        case waiting(Duration, why: String)
    }

    var name: String
    var activity: Activity
    var receivedBytes: Int64
    var totalBytes: Int64?

    /// How many bytes are done of what is under way, and of how many; the latter is nil while it is unknown.
    var amount: (done: Int64, whole: Int64?) {
        if case .verifying(let verified?) = activity { (verified, receivedBytes) } else { (receivedBytes, totalBytes) }
    }

    /// 0 to 1; nil while it is unknown, and where nothing is under way that could be measured.
    var fraction: Double? {
        switch activity {
        case .receiving, .verifying(.some): break
        case .connecting, .verifying(nil), .publishing, .waiting: return nil
        }
        guard let whole = amount.whole, whole > 0 else { return nil }
        return min(max(Double(amount.done) / Double(whole), 0), 1)
    }

    /// The time that the rest takes at the present speed; nil where that cannot be said.
    var remaining: Duration? {
        guard case .receiving(let speed) = activity, let totalBytes, speed >= 1 else { return nil }
        let seconds = Double(max(totalBytes - receivedBytes, 0)) / speed
        return seconds < 1e9 ? .seconds(Int64(seconds.rounded(.up))) : nil
    }
}
