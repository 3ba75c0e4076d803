/// Something that a commit left to be removed from a root. It is recorded in that commit, so that a process which ends
/// before the removal leaves nothing behind.
public struct StorageTask: Hashable, Sendable {
    public enum Target: Hashable, Sendable {
        /// The part file of a generation that the download no longer has.
        case part(generation: Int)
        /// A file that no record names any more. It is removed only if it is the recorded file itself.
        case file(PublishedFile)
    }

    /// Its number in the store.
    public var row: Int64
    public var download: DownloadID
    public var root: RootName
    public var target: Target

    public init(row: Int64 = 0, download: DownloadID, root: RootName, target: Target) {
        self.row = row
        self.download = download
        self.root = root
        self.target = target
    }
}

extension StorageTask {
    public init(download: DownloadID, _ file: PublishedFile) {
        self.init(download: download, root: file.root, target: .file(file))
    }
}

extension Download {
    /// All files that may be in the downloads folder.
    public var files: [PublishedFile] { [file, keptFile].compactMap(\.self) }

    /// The part file of its present generation, to be removed; nil if there can be none: it was never claimed, or the
    /// part file has become the finished file.
    public var partTask: StorageTask? {
        guard epoch > 0, state != .completed else { return nil }
        return StorageTask(download: id, root: request.root, target: .part(generation: generation))
    }
}
