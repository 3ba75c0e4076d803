import Core
import HTTPFields
import Linux

/// A file at the path of a finished file, open for reading.
struct FoundFile: Sendable {
    let file: File
    let information: FileInformation
}

/// Finds finished files by their properties, and by their bytes if these do not tell.
extension FolderFiles {
    func open(_ published: PublishedFile) async throws(FilesUnavailable) -> FileReading? {
        guard let found = try await findToOpen(published) else { return nil }
        guard try await mappingErrors({ () async throws(SystemError) in try await isFile(found, published) })
        else { return nil }
        return .file(
            OpenedFile(
                file: found.file,
                sizeBytes: found.information.size,
                modifiedAt: Timestamp(milliseconds: found.information.modifiedNanoseconds / 1_000_000),
                published: published.adopting(found.information)
            )
        )
    }

    func state(of published: PublishedFile) async throws(FilesUnavailable) -> FileState {
        guard let found = try await findToOpen(published)?.information else { return .missing }
        if published.isUntouched(found) { return .same }
        let isOther = published.digests.isEmpty || foreignFiles.contains(found, insteadOf: published)
        return isOther ? .other : .uncertain
    }

    /// Whether the file found at the path is the published one. It may read the whole file.
    func isFile(_ found: FoundFile, _ published: PublishedFile) async throws(SystemError) -> Bool {
        if published.isUntouched(found.information) { return true }
        guard !published.digests.isEmpty, !foreignFiles.contains(found.information, insteadOf: published) else {
            return false
        }
        let digester = Digester(found.file, algorithms: published.digests.map(\.algorithm), pool: pool)
        guard let digests = try await digester.finish(size: found.information.size) else { throw .cancelled }
        if digests == published.digests { return true }
        foreignFiles.insert(found.information, insteadOf: published)
        return false
    }

    /// Finds a file. If the disk fails, the error asks for another try, with its path opened again.
    func findToOpen(_ published: PublishedFile) async throws(FilesUnavailable) -> FoundFile? {
        do throws(SystemError) {
            return try await find(published)
        } catch {
            throw FilesUnavailable(error, needsReopening: mayBeBack(after: error))
        }
    }

    /// Whether the root may work again once it is opened again.
    private func mayBeBack(after error: SystemError) -> Bool { error.isDiskFailure && canReopen }

    /// Finds a file whose move was interrupted in its old place or in its new one, until the move is settled.
    private func find(_ published: PublishedFile) async throws(SystemError) -> FoundFile? {
        if let found = try await find(published, at: published.path) { return found }
        guard let target = published.movingTo else { return nil }
        return try await find(published, at: target)
    }

    private func find(_ published: PublishedFile, at path: String) async throws(SystemError) -> FoundFile? {
        try await pool.run { [folders] () throws(SystemError) -> FoundFile? in
            guard let file = try folders.openFinished(path) else { return nil }
            let information = try file.information()
            return published.fits(information) ? FoundFile(file: file, information: information) : nil
        }
    }

    /// Runs `body` and maps its system errors.
    func mappingErrors<Value>(
        _ body: () async throws(SystemError) -> Value
    ) async throws(FilesUnavailable) -> Value {
        do throws(SystemError) {
            return try await body()
        } catch {
            throw FilesUnavailable(error)
        }
    }
}
