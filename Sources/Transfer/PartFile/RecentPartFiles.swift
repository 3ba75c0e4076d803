import Core
import Synchronization

/// The part files of attempts of this process that ended recently. The next attempt need not verify them.
final class RecentPartFiles: Sendable {
    /// How long a part file is trusted after its attempt.
    private static let trust = Duration.seconds(60)
    /// The maximum number of entries. A removed entry costs only one verification.
    private static let limit = 1024

    private let ended = Mutex<[PartName: Timestamp]>([:])

    /// Records that an attempt has ended and that another follows without a user request.
    func record(_ part: PartName, now: Timestamp) {
        ended.withLock { ended in
            if ended.count >= Self.limit { ended = ended.filter { Self.isRecent($0.value, now: now) } }
            if ended.count >= Self.limit { ended = [:] }
            ended[part] = now
        }
    }

    /// Removes the entry of a part file. Returns whether the starting attempt may trust the file.
    func remove(_ part: PartName, now: Timestamp) -> Bool {
        ended.withLock { $0.removeValue(forKey: part) }.map { Self.isRecent($0, now: now) } ?? false
    }

    private static func isRecent(_ end: Timestamp, now: Timestamp) -> Bool {
        // The clock may have been set back since then.
        end <= now && now - end < trust
    }
}
