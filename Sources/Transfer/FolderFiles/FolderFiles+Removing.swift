import Core
import Linux

/// Removes finished files.
extension FolderFiles {
    /// Without a digest, a file changed in place is removed too: it looks the same as a file whose time changed.
    func remove(_ published: PublishedFile) async throws(FilesUnavailable) {
        // It was there before the download.
        guard !published.isSkipped else { return }
        let found = try await findToRemove(published)
        try await mappingErrors { () async throws(SystemError) in
            if let found, !published.isOnlyTouched(found.information), try await !isFile(found, published) { return }
            try await remove(published) { published.fits($0) }
        }
    }

    /// Finds a file to compare it before its removal. A file that cannot be opened is removed without a comparison,
    /// unless its disk failed and may be back.
    private func findToRemove(_ published: PublishedFile) async throws(FilesUnavailable) -> FoundFile? {
        do throws(FilesUnavailable) {
            return try await findToOpen(published)
        } catch {
            if error.needsReopening { throw error }
            return nil
        }
    }

    func discard(_ published: PublishedFile) async throws(FilesUnavailable) {
        try await mappingErrors { () async throws(SystemError) in try await discardFile(published) }
    }

    /// See ``FinishedFiles/discard(_:)``.
    func discardFile(_ published: PublishedFile) async throws(SystemError) {
        guard !published.isSkipped else { return }
        try await remove(published) { published.isSame(as: $0) }
    }

    /// Removes the file at a published path if `isIt` is true for it. A missing file is no error.
    private func remove(
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
