import Core
import Linux

/// The folders of a root and the operations on them. They run in the blocking pool and within the free disk space.
final class Disk: Sendable {
    let root: RootName
    let folders: Folders
    /// See ``Root/isCurrent``.
    let isCurrent: (@Sendable (Folders) -> Bool)?
    let pool: BlockingPool
    let directorySync: DirectorySync
    let space: SpaceReservations
    /// The locks of all roots.
    let places: FilePathLocks
    let recentParts = RecentPartFiles()
    /// The access to a finished file.
    let fileAccess: AccessAttributes
    /// The access to a folder created for a finished file.
    let directoryAccess: AccessAttributes

    init(
        _ root: Root,
        _ folders: Folders,
        pool: BlockingPool,
        directorySync: DirectorySync,
        places: FilePathLocks,
        _ settings: EngineSettings
    ) {
        self.root = root.name
        isCurrent = root.isCurrent
        self.folders = folders
        self.places = places
        self.pool = pool
        self.directorySync = directorySync
        fileAccess = AccessAttributes(permissions: settings.fileMode, group: settings.fileGroup, isRequired: false)
        directoryAccess = AccessAttributes(
            permissions: settings.directoryMode,
            group: settings.fileGroup,
            isRequired: false
        )
        space = SpaceReservations(
            low: settings.minFreeBytes,
            high: settings.resumeFreeBytes ?? settings.minFreeBytes.addingTwentieth
        ) { () throws(SystemError) in try folders.parts.freeBytes() }
    }

    /// Throws if the root's path leads elsewhere now. A file published here would not be found.
    func requireCurrent() async throws(RootUnavailable) {
        guard let isCurrent else { return }
        guard await pool.run({ [folders] in isCurrent(folders) }) else {
            throw RootUnavailable(root, "its path leads to another folder since the download began")
        }
    }

    /// Removes a part file, or any other entry with its name. A missing entry is no error.
    func discardPart(_ id: DownloadID, generation: Int) async {
        // A part file that cannot be removed now is removed by the sweep at the next start.
        _ = try? await pool.run { [folders] () throws(SystemError) in
            try folders.parts.removeAll(PartName(id: id, generation: generation).text)
        }
    }

    /// Removes the published file only if it is the recorded file itself. A copy with equal bytes is kept.
    func discardFile(_ published: PublishedFile) async throws(SystemError) {
        guard !published.isSkipped else { return }
        try await places.withLock(published.place) { () async throws(SystemError) in
            try await remove(published) { published.isSame(as: $0) }
        }
    }

    /// Removes the file at a published path if `isIt` is true for it. A missing file is no error.
    func remove(
        _ published: PublishedFile,
        where isIt: @escaping @Sendable (FileInformation) -> Bool
    ) async throws(SystemError) {
        try await pool.run { [folders] () throws(SystemError) in
            do throws(SystemError) {
                guard let (folder, name) = try folders.place(of: published),
                    isIt(try folder.information(of: name))
                else { return }
                try folder.remove(name)
                try folder.synchronize()
            } catch  where error.isMissing || error.isNoPath {
                return
            }
        }
    }
}

extension Int64 {
    fileprivate var addingTwentieth: Int64 {
        let (sum, overflow) = addingReportingOverflow(self / 20)
        return overflow ? .max : sum
    }
}
