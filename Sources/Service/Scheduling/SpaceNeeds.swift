import Core
import Synchronization

/// The disk space that downloads need to continue, as their last attempts have found. An attempt may learn a length
/// that the record of the download does not have. After a restart of the service the next attempt finds it again.
final class SpaceNeeds: Sendable {
    /// The maximum number of entries. A forgotten one costs an attempt.
    private static let limit = 4096

    private let needs = Mutex<[DownloadID: Int64]>([:])

    /// In bytes, by download.
    var all: [DownloadID: Int64] { needs.withLock { $0 } }

    /// - Parameter bytes: nil if the attempt has not found it.
    func record(_ id: DownloadID, _ bytes: Int64?) {
        needs.withLock { needs in
            if needs.count >= Self.limit { needs = [:] }
            needs[id] = bytes
        }
    }
}
