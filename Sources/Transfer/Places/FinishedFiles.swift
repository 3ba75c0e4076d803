import Core
import HTTPFields
import TransferRules

/// The finished files of one root. ``FolderFiles`` is the root that is a folder.
///
/// The engine chooses the root of a download or of a file, and calls this protocol. It does not know what kind of place
/// the root is. Each call is made once for a publication or a request, never for each write.
///
/// An object is a root as it was opened. If the root fails and is opened again, another object takes its place: see
/// ``Places``. Calls on a finished file need the lock of its path (``FilePathLocks``), except those of an attempt:
/// those take it themselves, and ``isUnchanged(_:)`` needs none.
protocol FinishedFiles: AnyObject, Sendable {
    var root: RootName { get }
    /// The local folder of the part files, which the connections write. Its free space limits the downloads.
    var partFolder: PartFolder { get }
    /// The longest name of a file, in bytes.
    var longestName: Int { get }
    /// The words for what it cannot do, as `GET /stats` shows them; nil if that is not known.
    var unsupported: [String]? { get }
    /// Whether the root can be opened again after it has failed. If not, this object is used until the process ends.
    var canReopen: Bool { get }
    /// Whether the root's address still leads to these files. Blocks.
    func isCurrent() -> Bool

    // MARK: Part files

    /// What makes the bytes of a part file durable. It is asked for once in an attempt, for each part file, and again
    /// if the body begins anew, in an emptied file with the same name. A body that was kept in memory until it was
    /// whole never has one.
    func storage(of part: PartFile, for download: Download) -> any PartStorage
    /// Removes a part file, and what else was stored for its download. A missing one is no error.
    ///
    /// A caller may ignore the error: what needs no download is removed by a ``StorageTask`` or at the next start.
    func discardPart(_ part: PartName) async throws(FilesUnavailable)

    // MARK: Publication

    /// Records the file with this name as the download's, if it has the expected size and digests (`on_conflict`:
    /// `skip`).
    ///
    /// - Parameter algorithms: The digests that the record shall have.
    /// - Returns: nil if it is missing or another one.
    func recordExisting(
        _ name: FileName,
        expecting expected: Expected,
        algorithms: [DigestAlgorithm],
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile?
    /// Records a file that an earlier download fetched as that of this download too (`on_conflict`: `if_newer`).
    ///
    /// - Returns: nil if it has changed since.
    func recordExisting(
        _ file: PublishedFile,
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile?
    /// Whether a file is there as it was published.
    func isUnchanged(_ file: PublishedFile) async throws(AttemptInterruption) -> Bool
    /// Publishes a verified part file under a name that `on_conflict` allows. A crash at any step neither loses the
    /// file nor shows an incomplete one.
    ///
    /// It calls ``CheckpointSink/publish(_:_:)`` before the file can appear. When it returns, the file is durable. What
    /// recognises the file later (``FileIdentity``) is recorded by that call, so it must be known before. From then on
    /// the download refuses a pause and a cancellation: what takes long, such as an upload, comes before that call.
    ///
    /// - Returns: The file as it was recorded.
    /// - Throws: A failure of the download, such as `file_exists`.
    func publish(
        _ part: VerifiedPart,
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile
    /// Finishes a publication after a process ended between its record and the completion.
    ///
    /// - Parameter blocks: The recorded block digests, for a file without a digest of the whole.
    func resume(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile
    /// Finishes a publication whose file may have reached its final path although the call failed.
    ///
    /// - Parameter blocks: See ``resume(_:_:of:_:)``.
    /// - Returns: nil if the file is not there.
    func finishPlaced(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile?

    // MARK: Finished files

    /// Opens a finished file; nil if it is missing or was replaced. While a move is not settled
    /// (``PublishedFile/movingTo``), it may be at either path. In case of doubt its bytes are compared with its
    /// digests, which means reading the whole file.
    func open(_ file: PublishedFile) async throws(FilesUnavailable) -> FileReading?
    /// Whether a finished file is at its path, as far as that can be told without reading it.
    func state(of file: PublishedFile) async throws(FilesUnavailable) -> FileState
    /// Removes a finished file, unless it was replaced. A missing file is no error.
    func remove(_ file: PublishedFile) async throws(FilesUnavailable)
    /// Removes a published file only if it is the recorded file itself. A copy with equal bytes is kept.
    func discard(_ file: PublishedFile) async throws(FilesUnavailable)
    /// Moves a finished file. When it returns, the file is durable at `path`, and its old name is gone.
    ///
    /// - Parameter replaces: Whether another file at the new path is replaced.
    /// - Throws: The error of the move. The file may have either path then: see ``hasMoved(_:recordedAt:)``.
    func move(_ file: PublishedFile, to path: String, replaces: Bool) async throws(FilesUnavailable) -> MoveResult
    /// Whether a file whose move was interrupted is at its new path. If so, it is made durable there and its old name
    /// is removed.
    ///
    /// - Parameter recordedAt: When the move was recorded.
    func hasMoved(_ file: PublishedFile, recordedAt: Timestamp) async throws(FilesUnavailable) -> Bool
}
