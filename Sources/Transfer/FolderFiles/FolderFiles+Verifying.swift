import Core
import HTTPFields
import Linux
import TransferRules

/// Verifies files at the paths of recorded ones, for a publication.
extension FolderFiles {
    /// Whether the file is there with the size and the modification time that it was published with, and with the inode
    /// or the digests.
    func isUnchanged(_ file: PublishedFile) async throws(AttemptInterruption) -> Bool {
        guard !file.isMissing, file.expiredAt == nil, file.modifiedNanoseconds != nil else { return false }
        guard let folder = try await folder(of: file), let name = file.pathComponents.last else { return false }
        return try await found(file, in: folder, name) != nil
    }

    /// The folder of a recorded file; nil if it is missing.
    func folder(of file: PublishedFile) async throws(AttemptInterruption) -> Directory? {
        try await mappingDestinationErrors { () async throws(SystemError) in
            try await pool.run { [folders] () throws(SystemError) -> Directory? in
                do throws(SystemError) {
                    return try folders.place(of: file)?.folder
                } catch  where error.isUnreachable {
                    return nil
                }
            }
        }
    }

    /// The file with this name, if it is the recorded one, unchanged since. If its inode differs, its bytes tell.
    func found(
        _ file: PublishedFile,
        in directory: Directory,
        _ name: String
    ) async throws(AttemptInterruption) -> FileInformation? {
        guard let found = try await information(of: name, in: directory), file.fits(found) else { return nil }
        if file.isSame(as: found), file.isUntouched(found) { return found }
        guard found.modifiedNanoseconds == file.modifiedNanoseconds ?? found.modifiedNanoseconds,
            !file.digests.isEmpty, try await hasCopy(of: file, [], directory, name)
        else { return nil }
        return found
    }

    func information(
        of name: String,
        in directory: Directory
    ) async throws(AttemptInterruption) -> FileInformation? {
        try await mappingDestinationErrors { () async throws(SystemError) in
            try await pool.run { () throws(SystemError) -> FileInformation? in
                do throws(SystemError) {
                    return try directory.information(of: name)
                } catch  where error.isMissing {
                    return nil
                }
            }
        }
    }

    /// Whether the bytes match the digests. The file is flushed first, because a copy may not be durable. A copy gets
    /// the recorded modification time.
    func hasCopy(
        of file: PublishedFile,
        _ blocks: [BlockDigest],
        _ directory: Directory,
        _ name: String
    ) async throws(AttemptInterruption) -> Bool {
        let isWhole = try await mappingDestinationErrors { () async throws(SystemError) -> Bool? in
            let copy = try await pool.run { () throws(SystemError) in
                let copy = try directory.openFile(named: name, access: .read)
                try copy.synchronize()
                return copy
            }
            let isWhole: Bool?
            if file.digests.isEmpty {
                isWhole = try await BlockHasher(file: copy, pool: pool).damaged(among: blocks)?.isEmpty
            } else {
                let digester = Digester(copy, algorithms: file.digests.map(\.algorithm), pool: pool)
                isWhole = try await digester.finish(size: file.sizeBytes).map { $0 == file.digests }
            }
            if isWhole == true { try await restoreModificationTime(of: file, copy) }
            return isWhole
        }
        guard let isWhole else { throw .stopped }
        return isWhole
    }

    private func restoreModificationTime(of file: PublishedFile, _ copy: File) async throws(SystemError) {
        guard let modified = file.modifiedNanoseconds else { return }
        try await pool.run { () throws(SystemError) in
            guard try copy.information().modifiedNanoseconds != modified else { return }
            if try copy.setModificationTime(nanoseconds: modified) { try copy.synchronize() }
        }
    }
}
