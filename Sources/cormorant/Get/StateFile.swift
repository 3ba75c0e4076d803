import Core
import Crypto
import HTTPFields
import Linux

/// The state file beside the target, from which a later `get` resumes, and the lock that excludes a concurrent one.
///
/// Every call may block: make it on a ``BlockingPool``.
struct StateFile: Sendable {
    let directory: Directory
    let name: String
    let lockName: String

    /// A larger file was not written by this program.
    private static let maximumBytes = 1 << 20

    /// The same URL and output name in the same folder use the same file.
    init(for request: DownloadRequest, in directory: Directory) {
        // A URL contains no NUL, so the separator is unambiguous.
        let key = "\(request.url.text)\0\(request.filename?.value ?? "")"
        let digest = HTTPFields.Digest(algorithm: .sha256, bytes: Array(SHA256.hash(data: Array(key.utf8))))
        self.directory = directory
        name = ".cormorant-\(digest.hex.prefix(16)).json"
        lockName = ".cormorant-\(digest.hex.prefix(16)).lock"
    }

    func lock() throws(FileLockError) -> FileLock { try FileLock.acquire(lockName, in: directory) }

    func unlock(_ lock: FileLock) { lock.releaseRemoving(lockName, in: directory) }

    /// The stored record for `request`; nil if there is none or it is invalid. The download then starts from byte 0.
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
