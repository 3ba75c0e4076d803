public import Core
import Linux

// The calls of the service on finished files. The engine chooses the place of the file.

extension Engine {
    /// Locks the path of a finished file while `body` runs, so that no download publishes there. `body` must not
    /// publish a file.
    public func withPathLocked<Value, Failure>(
        of published: PublishedFile,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await locks.withLock(published.place, body)
    }

    /// Locks two paths below a root while `body` runs, in an order that all tasks use.
    public func withPathsLocked<Value, Failure>(
        _ first: String,
        _ second: String,
        below root: RootName,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let (first, second) = (PublishedFile.place(of: first, in: root), PublishedFile.place(of: second, in: root))
        guard first != second else { return try await locks.withLock(first, body) }
        return try await locks.withLock(min(first, second)) { () async throws(Failure) -> Value in
            try await locks.withLock(max(first, second), body)
        }
    }

    /// Opens the root of a finished file again, if it was not available.
    ///
    /// - Throws: Why the root cannot be used now. Nothing can be said about the file then.
    public func requireRoot(of published: PublishedFile) async throws(RootUnavailable) {
        try await requireRoot(published.root)
    }

    /// Opens a root again, if it was not available.
    ///
    /// - Throws: Why it cannot be used now.
    public func requireRoot(_ root: RootName) async throws(RootUnavailable) {
        _ = try await places.files(of: root)
    }

    /// Opens a finished file; nil if it is missing or was replaced. If its properties have changed, its bytes are
    /// compared with the digests, which means reading the whole file.
    ///
    /// The caller must know whether another download has published its own file at this path since: see
    /// ``withPathLocked(of:_:)``.
    /// - Throws: The error that prevents opening an existing file, or `cancelled` if the task is cancelled during the
    ///   comparison.
    public func open(_ published: PublishedFile) async throws(FilesUnavailable) -> FileReading? {
        try await withFiles(below: published.root) { (files) async throws(FilesUnavailable) in
            try await files.open(published)
        }
    }

    /// Whether a finished file is at its path. Bytes are not compared.
    ///
    /// - Throws: The error that prevents opening an existing file.
    public func state(of published: PublishedFile) async throws(FilesUnavailable) -> FileState {
        try await withFiles(below: published.root) { (files) async throws(FilesUnavailable) in
            try await files.state(of: published)
        }
    }

    /// Removes a finished file, unless it was replaced. A missing file is no error.
    ///
    /// The caller must know whether another download has published its own file at this path since: see
    /// ``withPathLocked(of:_:)``.
    ///
    /// - Throws: The error of the removal, or `cancelled` if the task is cancelled during a comparison of bytes.
    public func remove(_ published: PublishedFile) async throws(FilesUnavailable) {
        try await withFiles(below: published.root) { (files) async throws(FilesUnavailable) in
            try await files.remove(published)
        }
    }

    /// Removes the published file only if it is the recorded file itself. A copy with equal bytes is kept.
    ///
    /// The caller must know whether a download has recorded the file since: see ``withPathLocked(of:_:)``.
    ///
    /// - Throws: The error of the removal.
    public func discardFile(_ published: PublishedFile) async throws(FilesUnavailable) {
        try await withFiles(below: published.root) { (files) async throws(FilesUnavailable) in
            try await files.discard(published)
        }
    }

    /// Moves a finished file to `path`. When it returns, the file is durable there, and its old name is gone.
    ///
    /// The caller holds the locks of both paths, and has recorded ``PublishedFile/movingTo``.
    ///
    /// - Parameter replaces: Whether another file at the new path is replaced.
    /// - Throws: The error of the move. The file may have either path then: see ``hasMoved(_:recordedAt:)``.
    public func move(
        _ file: PublishedFile,
        to path: String,
        replaces: Bool
    ) async throws(FilesUnavailable) -> MoveResult {
        try await withFiles(below: file.root) { (files) async throws(FilesUnavailable) in
            try await files.move(file, to: path, replaces: replaces)
        }
    }

    /// Whether a file whose move was interrupted is at its new path. If so, it is made durable there and its old name
    /// is removed.
    ///
    /// The caller holds the locks of both paths.
    ///
    /// - Parameter recordedAt: When the move was recorded.
    public func hasMoved(_ file: PublishedFile, recordedAt: Timestamp) async throws(FilesUnavailable) -> Bool {
        try await withFiles(below: file.root) { (files) async throws(FilesUnavailable) in
            try await files.hasMoved(file, recordedAt: recordedAt)
        }
    }

    /// The longest name of a file in a root, in bytes.
    public func longestName(in root: RootName) async throws(FilesUnavailable) -> Int {
        try await withFiles(below: root) { (files) async throws(FilesUnavailable) in files.longestName }
    }

    /// Removes a part file, or any other entry with its name. A missing entry is no error.
    ///
    /// A caller may ignore the error: the sweep at the next start removes what no download needs.
    public func discardPart(
        _ id: DownloadID,
        generation: Int,
        below root: RootName
    ) async throws(FilesUnavailable) {
        try await withFiles(below: root) { (files) async throws(FilesUnavailable) in
            try await files.discardPart(PartName(id: id, generation: generation))
        }
    }

    /// Removes unneeded part files of the open roots. Files with other names are kept.
    ///
    /// - Parameter isNeeded: Whether a download may still resume from this part. An error ends the sweep.
    /// - Throws: `SystemError` if the folder cannot be listed, or the error of `isNeeded`.
    /// - Returns: The number of removed part files.
    public func sweepParts(isNeeded: (PartName) async throws -> Bool) async throws -> Int {
        var removed = 0
        for files in places.all.values {
            for name in try await partNames(of: files) {
                guard let part = PartName(name), try await !isNeeded(part) else { continue }
                guard (try? await files.discardPart(part)) != nil else { continue }
                removed += 1
            }
        }
        return removed
    }

    /// The names in the folder of part files; none if the disk of a named root fails. Its downloads report it, and it
    /// does not prevent the start.
    private func partNames(of files: any FinishedFiles) async throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try await files.partFolder.names()
        } catch {
            if files.root != .downloads { return [] }
            throw error
        }
    }

    /// Calls the place of the files of a root. If the root has failed and can be opened again, that is done once, and
    /// the call is repeated.
    private func withFiles<Value>(
        below root: RootName,
        _ body: (any FinishedFiles) async throws(FilesUnavailable) -> Value
    ) async throws(FilesUnavailable) -> Value {
        let files = try await files(below: root)
        do throws(FilesUnavailable) {
            return try await body(files)
        } catch  where error.needsReopening {
            places.close(files)
            return try await body(self.files(below: root))
        }
    }

    private func files(below root: RootName) async throws(FilesUnavailable) -> any FinishedFiles {
        do throws(RootUnavailable) {
            return try await places.files(of: root)
        } catch {
            throw error.ofFile
        }
    }
}
