public import Core
public import Linux

/// Moves of finished files, with the durability of a publication.
extension Engine {
    /// The result of a move.
    public enum MoveResult: Hashable, Sendable {
        case moved
        /// Another file has the new name.
        case taken
        /// The file is missing or was replaced.
        case missing
    }

    /// Locks two paths below a root while `body` runs, in an order that all tasks use.
    public func withPathsLocked<Value, Failure>(
        _ first: String,
        _ second: String,
        below root: RootName,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let (first, second) = (PublishedFile.place(of: first, in: root), PublishedFile.place(of: second, in: root))
        guard first != second else { return try await places.withLock(first, body) }
        return try await places.withLock(min(first, second)) { () async throws(Failure) -> Value in
            try await places.withLock(max(first, second), body)
        }
    }

    /// Moves a finished file to `path`. When it returns, the file is durable there, and its old name is gone.
    ///
    /// The caller holds the locks of both paths, and has recorded ``PublishedFile/movingTo``.
    ///
    /// - Parameter replaces: Whether another file at the new path is replaced.
    /// - Throws: The error of the move, such as `EXDEV` for a folder on another file system. The file may have either
    ///   path then: see ``hasMoved(_:)``.
    public func move(
        _ file: PublishedFile,
        to path: String,
        replaces: Bool
    ) async throws(SystemError) -> MoveResult {
        guard try await open(file) != nil else { return .missing }
        let disk = try await disk(of: file)
        let places = try await pool.run {
            [folders = disk.folders, access = disk.directoryAccess] () throws(SystemError) in
            (try folders.place(of: file), try folders.placeToMake(at: path, access))
        }
        guard let (source, oldName) = places.0, let (destination, newName) = places.1 else { return .missing }
        do throws(SystemError) {
            try await disk.directorySync.synchronize(destination) { () throws(SystemError) in
                try source.rename(oldName, to: destination, newName, replacing: replaces)
            }
        } catch  where error.isExists {
            return .taken
        }
        if source.identity != destination.identity { try await disk.directorySync.synchronize(source) }
        return .moved
    }

    /// Whether a file whose move was interrupted is at its new path. If so, it is made durable there and its old name
    /// is removed.
    ///
    /// The caller holds the locks of both paths.
    ///
    /// - Parameter recordedAt: When the move was recorded. An empty file that the move has left at the new path is
    ///   removed.
    public func hasMoved(_ file: PublishedFile, recordedAt: Timestamp) async throws(SystemError) -> Bool {
        guard let path = file.movingTo else { return false }
        if path == file.path { return true }
        let target = file.moved(to: path)
        var source = file
        source.movingTo = nil
        let (here, there) = (try await information(of: file), try await information(of: target))
        // A link and an unlink may have left both names of one file.
        let isLinked = here != nil && here?.identity == there?.identity
        let isThere = there.map { file.isSame(as: $0) || isLinked && file.fits($0) } ?? false
        let isStillHere = isThere ? isLinked : here.map(file.isSame) ?? false
        if !isThere {
            // The downloads folder may have been copied since: then only the bytes identify the file.
            if isStillHere {
                if let there { try await removeReservation(there, at: target, recordedAt) }
                return false
            }
            if try await open(source) != nil { return false }
            if try await open(target) == nil { return false }
        }
        let folders = try await disk(of: file).folders
        try await pool.run { () throws(SystemError) in
            guard let (destination, _) = try folders.place(of: target) else { return }
            try destination.synchronize()
            // A move by a link and an unlink may have left both names.
            guard let (source, name) = try? folders.place(of: file) else { return }
            if isStillHere { try source.remove(name) }
            try source.synchronize()
        }
        return true
    }

    private func removeReservation(
        _ found: FileInformation,
        at target: PublishedFile,
        _ recordedAt: Timestamp
    ) async throws(SystemError) {
        guard target.isReserved(by: found, since: recordedAt) else { return }
        let folders = try await disk(of: target).folders
        try await pool.run { () throws(SystemError) in
            guard let (folder, name) = try folders.place(of: target), try folders.renamesByReserving() else { return }
            try folder.remove(name)
        }
    }

    private func information(of file: PublishedFile) async throws(SystemError) -> FileInformation? {
        let folders = try await disk(of: file).folders
        return try await pool.run { () throws(SystemError) -> FileInformation? in
            do throws(SystemError) {
                guard let (folder, name) = try folders.place(of: file) else { return nil }
                return try folder.information(of: name)
            } catch  where error.isUnreachable {
                return nil
            }
        }
    }
}

extension Folders {
    /// The folder of a path, created if missing, and the name in it; nil for a path without a name.
    ///
    /// - Parameter access: The access to a new folder.
    func placeToMake(
        at path: String,
        _ access: AccessAttributes
    ) throws(SystemError) -> (folder: Directory, name: String)? {
        let components = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard let name = components.last else { return nil }
        let folder = components.dropLast().joined(separator: "/")
        return (
            folder.isEmpty ? downloads : try downloads.openDirectory(relative: folder, creating: true, access: access),
            name
        )
    }
}
