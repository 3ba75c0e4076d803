import Core
import HTTPFields
import Linux
import TransferRules

/// A root that is a folder: a finished file is its part file, moved by a rename on one file system.
final class FolderFiles: FinishedFiles {
    let root: RootName
    let folders: Folders
    let partFolder: PartFolder
    let abilities: FolderAbilities
    let pool: BlockingPool
    let directorySync: DirectorySync
    /// The locks of all roots.
    let locks: FilePathLocks
    /// It outlives this object if the root is opened again.
    let foreignFiles: ForeignFiles
    /// See ``Root/init(_:folders:isCurrent:open:)``.
    private let leadsHere: (@Sendable (Folders) -> Bool)?

    init(
        _ root: RootName,
        _ folders: Folders,
        isCurrent: (@Sendable (Folders) -> Bool)?,
        _ foreignFiles: ForeignFiles,
        _ context: PlaceContext
    ) {
        self.foreignFiles = foreignFiles
        self.root = root
        self.folders = folders
        leadsHere = isCurrent
        pool = context.pool
        directorySync = context.directorySync
        locks = context.locks
        abilities = FolderAbilities(folders.abilities, context.settings.value)
        partFolder = PartFolder(
            folders.parts,
            pool: pool,
            directorySync: directorySync,
            fileAccess: abilities.fileAccess,
            context.settings.value
        )
    }

    var longestName: Int { abilities.longestName }
    var unsupported: [String]? { abilities.missing }
    var canReopen: Bool { leadsHere != nil }

    func isCurrent() -> Bool { leadsHere?(folders) ?? true }

    /// Throws if the root's path leads elsewhere now. A file published here would not be found.
    func requireCurrent() async throws(RootUnavailable) {
        guard canReopen else { return }
        guard await pool.run({ self.isCurrent() }) else {
            throw RootUnavailable(root, "its path leads to another folder since the download began")
        }
    }

    // MARK: - Part files

    /// A part file is moved when it is finished, so it is its own storage.
    func storage(of part: PartFile, for download: Download) -> any PartStorage { part }

    func discardPart(_ part: PartName) async throws(FilesUnavailable) {
        try await mappingErrors { () async throws(SystemError) in try await partFolder.discard(part) }
    }
}

/// The calls of an attempt.
extension FolderFiles {
    func recordExisting(
        _ name: FileName,
        expecting expected: Expected,
        algorithms: [DigestAlgorithm],
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile? {
        try await Publisher(files: self, checkpointSink: checkpointSink)
            .recordExisting(name, expecting: expected, algorithms: algorithms, of: download, checkpoint)
    }

    func recordExisting(
        _ file: PublishedFile,
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile? {
        try await Publisher(files: self, checkpointSink: checkpointSink).recordExisting(file, of: download, checkpoint)
    }

    func publish(
        _ part: VerifiedPart,
        of download: Download,
        _ checkpoint: Checkpoint,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile {
        try await Publisher(files: self, checkpointSink: checkpointSink).publish(part, of: download, checkpoint)
    }

    func resume(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile {
        try await Publisher(files: self, checkpointSink: checkpointSink).resume(file, blocks, of: download)
    }

    func finishPlaced(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download,
        _ checkpointSink: any CheckpointSink
    ) async throws(AttemptInterruption) -> PublishedFile? {
        try await Publisher(files: self, checkpointSink: checkpointSink).finishPlaced(file, blocks, of: download)
    }
}
