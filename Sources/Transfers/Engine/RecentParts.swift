import Model
import Synchronization

/// The part files that an attempt of this process let go of a moment ago, to be gone on with by the next: they need no
/// check before it.
final class RecentParts: Sendable {
    /// How long a part is believed that nobody looked after.
    private static let trust = Duration.seconds(60)
    /// Forgetting one too early costs a check.
    private static let limit = 1024

    private let ended = Mutex<[PartName: Timestamp]>([:])

    /// Notes that an attempt at a part has ended, and that another follows by itself.
    func note(_ part: PartName, now: Timestamp) {
        ended.withLock { ended in
            if ended.count >= Self.limit { ended = ended.filter { Self.isRecent($0.value, now: now) } }
            if ended.count >= Self.limit { ended = [:] }
            ended[part] = now
        }
    }

    /// Whether a part is believed by the attempt that begins now. The next one asks anew.
    func take(_ part: PartName, now: Timestamp) -> Bool {
        ended.withLock { $0.removeValue(forKey: part) }.map { Self.isRecent($0, now: now) } ?? false
    }

    private static func isRecent(_ end: Timestamp, now: Timestamp) -> Bool {
        // The clock may have been set back meanwhile.
        end <= now && now - end < trust
    }
}
