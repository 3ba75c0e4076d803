import Crypto
import Linux
import Model
import Wire

/// The small file beside the target that lets a later `get` go on, and the lock that keeps two of them apart.
///
/// Every call may block: make it on a ``BlockingPool``.
struct StateFile: Sendable {
    let directory: Directory
    let name: String
    let lockName: String

    /// More than this is not ours.
    private static let maximumBytes = 1 << 20

    /// The same URL and output name in the same folder have the same file.
    init(for request: DownloadRequest, in directory: Directory) {
        // A URL holds no NUL, so the two texts cannot run into each other.
        let key = "\(request.url.text)\0\(request.filename?.value ?? "")"
        let digest = Model.Digest(algorithm: .sha256, bytes: Array(SHA256.hash(data: Array(key.utf8))))
        self.directory = directory
        name = ".cormorant-\(digest.hex.prefix(16)).json"
        lockName = ".cormorant-\(digest.hex.prefix(16)).lock"
    }

    func lock() throws(FileLockError) -> FileLock { try FileLock.take(lockName, in: directory) }

    func unlock(_ lock: FileLock) { lock.releaseRemoving(lockName, in: directory) }

    /// What is kept for `request`; nil where there is nothing, or nothing that can be read: then it begins anew.
    func load(_ request: DownloadRequest, at now: Timestamp) throws(SystemError) -> GetProgress? {
        do {
            let bytes = try directory.openFile(named: name, access: .read).readToEnd(limit: Self.maximumBytes)
            return GetRecord(json: bytes)?.progress(of: request, at: now)
        } catch  where error.isMissing || error.isFileTooLarge {
            return nil
        }
    }

    func save(_ record: [UInt8]) throws(SystemError) {
        try directory.writeDurably(record, named: name, replacing: true)
    }

    func remove() throws(SystemError) { try directory.remove(name) }
}
