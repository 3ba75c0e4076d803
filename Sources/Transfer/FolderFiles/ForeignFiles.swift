import Core
import HTTPFields
import Linux
import Synchronization

/// Files at the paths of finished files whose bytes were compared and differ from the published ones.
///
/// The list is not stored. After a restart each file is compared again when it is opened.
final class ForeignFiles: Sendable {
    /// The properties of a compared file, and the digests it was compared with.
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
    /// The maximum number of entries, about 200 bytes each.
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
