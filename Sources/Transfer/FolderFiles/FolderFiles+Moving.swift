import Core
import Linux

/// Moves of finished files, with the durability of a publication.
extension FolderFiles {
    /// A failed move may have either path, such as after `EXDEV` for a folder on another file system.
    func move(_ file: PublishedFile, to path: String, replaces: Bool) async throws(FilesUnavailable) -> MoveResult {
        guard try await open(file) != nil else { return .missing }
        return try await mappingErrors { () async throws(SystemError) in
            try await moveFound(file, to: path, replaces: replaces)
        }
    }

    private func moveFound(
        _ file: PublishedFile,
        to path: String,
        replaces: Bool
    ) async throws(SystemError) -> MoveResult {
        let places = try await pool.run {
            [folders, access = abilities.directoryAccess] () throws(SystemError) in
            (try folders.place(of: file), try folders.placeToMake(at: path, access))
        }
        guard let (source, oldName) = places.0, let (destination, newName) = places.1 else { return .missing }
        do throws(SystemError) {
            try await directorySync.synchronize(destination) { () throws(SystemError) in
                try source.rename(oldName, to: destination, newName, replacing: replaces)
            }
        } catch  where error.isExists {
            return .taken
        }
        if source.identity != destination.identity { try await directorySync.synchronize(source) }
        return .moved
    }

    /// An empty file that the move has left at the new path is removed.
    func hasMoved(_ file: PublishedFile, recordedAt: Timestamp) async throws(FilesUnavailable) -> Bool {
        guard let path = file.movingTo else { return false }
        if path == file.path { return true }
        let target = file.moved(to: path)
        var source = file
        source.movingTo = nil
        let (here, there) = try await mappingErrors { () async throws(SystemError) in
            (try await information(of: file), try await information(of: target))
        }
        // A link and an unlink may have left both names of one file.
        let isLinked = here != nil && here?.identity == there?.identity
        // A move takes the old name away. Another file at the new path can look the same if there is no digest.
        if !isLinked, here.map(file.isSame) == true {
            try await mappingErrors { () async throws(SystemError) in
                if let there { try await removeReservation(there, at: target, recordedAt) }
            }
            return false
        }
        let isThere = there.map { file.isSame(as: $0) || isLinked && file.fits($0) } ?? false
        if !isThere {
            // The downloads folder may have been copied since: then only the bytes identify the file.
            if try await open(source) != nil { return false }
            if try await open(target) == nil { return false }
        }
        try await mappingErrors { () async throws(SystemError) in
            try await settle(file, at: target, isStillHere: isLinked)
        }
        return true
    }

    /// Makes a moved file durable in its new folder, and removes its old name if it still has it.
    private func settle(
        _ file: PublishedFile,
        at target: PublishedFile,
        isStillHere: Bool
    ) async throws(SystemError) {
        try await pool.run { [folders] () throws(SystemError) in
            guard let (destination, _) = try folders.place(of: target) else { return }
            try destination.synchronize()
            // A move by a link and an unlink may have left both names.
            guard let (source, name) = try? folders.place(of: file) else { return }
            if isStillHere { try source.remove(name) }
            try source.synchronize()
        }
    }

    private func removeReservation(
        _ found: FileInformation,
        at target: PublishedFile,
        _ recordedAt: Timestamp
    ) async throws(SystemError) {
        guard target.isReserved(by: found, since: recordedAt) else { return }
        try await pool.run { [folders, abilities] () throws(SystemError) in
            guard let (folder, name) = try folders.place(of: target),
                try abilities.renamesByReserving(probing: folders.parts)
            else { return }
            try folder.remove(name)
        }
    }

    private func information(of file: PublishedFile) async throws(SystemError) -> FileInformation? {
        try await pool.run { [folders] () throws(SystemError) -> FileInformation? in
            do throws(SystemError) {
                guard let (folder, name) = try folders.place(of: file) else { return nil }
                return try folder.information(of: name)
            } catch  where error.isUnreachable {
                return nil
            }
        }
    }
}
