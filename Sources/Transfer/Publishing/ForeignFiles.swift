import Core
import HTTPFields
import Linux
import Synchronization

/// Files at the paths of finished files that were read and found to be others.
///
/// It is not kept for the next process: that reads each of them once more, when it is asked for.
final class ForeignFiles: Sendable {
    /// A file as it was read, and what it was compared with.
    private struct Key: Hashable {
        let digests: [HTTPFields.Digest]
        let file: Linux.FileIdentity
        let modifiedNanoseconds: Int64

        init(_ found: FileInformation, _ published: PublishedFile) {
            digests = published.digests
            file = found.identity
            modifiedNanoseconds = found.modifiedNanoseconds
        }
    }

    private let keys = Mutex<Set<Key>>([])
    /// Two hundred bytes each.
    private static let capacity = 4096

    func contains(_ found: FileInformation, insteadOf published: PublishedFile) -> Bool {
        keys.withLock { $0.contains(Key(found, published)) }
    }

    func insert(_ found: FileInformation, insteadOf published: PublishedFile) {
        keys.withLock { keys in
            if keys.count >= Self.capacity { keys = [] }
            keys.insert(Key(found, published))
        }
    }
}
