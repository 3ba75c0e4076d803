public import Core
import HTTPFields
public import Linux

/// A finished file, open for reading.
public struct OpenedFile: Sendable {
    public let file: File
    public let sizeBytes: Int64
    /// The modification time in the file system.
    public let modifiedAt: Timestamp
    /// Whether size, modification time and inode are as the download left them.
    let isUntouched: Bool
    /// The properties of the opened file, even if it is not the published one.
    let information: FileInformation
    /// The file's record, updated with these properties.
    public let published: PublishedFile

    /// A duplicate descriptor, which the caller must close; nil if the process has no free descriptor.
    public func descriptor() -> Int32? { try? file.duplicateDescriptor() }
}

extension Engine {
    /// Locks the path of a finished file while `body` runs, so that no download publishes there. `body` must not
    /// publish a file.
    public func withPathLocked<Value, Failure>(
        of published: PublishedFile,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await places.withLock(published.place, body)
    }

    /// Opens the root of a finished file again, if it was not available.
    ///
    /// - Throws: Why its folders cannot be used now. Nothing can be said about the file then.
    public func requireRoot(of published: PublishedFile) async throws(RootUnavailable) {
        _ = try await disks.disk(published.root)
    }

    /// Opens a finished file; nil if it is missing or was replaced. If its properties have changed, its bytes are
    /// compared with the digests, which means reading the whole file.
    ///
    /// The caller must know whether another download has published its own file at this path since: see
    /// ``withPathLocked(of:_:)``.
    /// - Throws: The error that prevents opening an existing file, or `ECANCELED` if the task is cancelled during the
    ///   comparison.
    public func open(_ published: PublishedFile) async throws(SystemError) -> OpenedFile? {
        guard let opened = try await find(published) else { return nil }
        return try await isTheFile(opened, published) ? opened : nil
    }

    private func isTheFile(_ opened: OpenedFile, _ published: PublishedFile) async throws(SystemError) -> Bool {
        if opened.isUntouched { return true }
        guard !published.digests.isEmpty, !foreignFiles.contains(opened.information, insteadOf: published) else {
            return false
        }
        let digester = Digester(opened.file, algorithms: published.digests.map(\.algorithm), pool: pool)
        guard let digests = try await digester.finish(size: opened.sizeBytes) else { throw .cancelled }
        if digests == published.digests { return true }
        foreignFiles.insert(opened.information, insteadOf: published)
        return false
    }

    /// Whether a finished file is at its path; nil if only a comparison of its bytes can tell.
    ///
    /// - Throws: The error that prevents opening an existing file.
    public func existsUnverified(_ published: PublishedFile) async throws(SystemError) -> Bool? {
        guard let found = try await find(published) else { return false }
        if found.isUntouched { return true }
        return published.digests.isEmpty || foreignFiles.contains(found.information, insteadOf: published) ? false : nil
    }

    /// Whether a finished file is missing, or a file of another size has its path. Bytes are not compared.
    ///
    /// - Throws: The error that prevents opening an existing file.
    public func misses(_ published: PublishedFile) async throws(SystemError) -> Bool {
        try await find(published) == nil
    }

    /// Finds a file whose move was interrupted in its old place or in its new one, until the move is settled.
    private func find(_ published: PublishedFile) async throws(SystemError) -> OpenedFile? {
        if let found = try await find(published, at: published.path) { return found }
        guard let target = published.movingTo else { return nil }
        return try await find(published, at: target)
    }

    /// The disk may have failed and be back since. Its path is opened again then.
    private func find(_ published: PublishedFile, at path: String) async throws(SystemError) -> OpenedFile? {
        let disk = try await disk(of: published)
        do throws(SystemError) {
            return try await find(published, at: path, disk.folders)
        } catch  where error.isDiskFailure && disk.isCurrent != nil {
            disks.close(disk)
            return try await find(published, at: path, self.disk(of: published).folders)
        }
    }

    private func find(
        _ published: PublishedFile,
        at path: String,
        _ folders: Folders
    ) async throws(SystemError) -> OpenedFile? {
        try await pool.run { () throws(SystemError) -> OpenedFile? in
            let file: File
            do throws(SystemError) {
                file = try folders.downloads.openFile(relative: path)
            } catch  where error.isUnreachable {
                return nil
            }
            let information = try file.information()
            guard published.fits(information) else { return nil }
            return OpenedFile(
                file: file,
                sizeBytes: information.size,
                modifiedAt: Timestamp(milliseconds: information.modifiedNanoseconds / 1_000_000),
                isUntouched: published.isUntouched(information),
                information: information,
                published: published.adopting(information)
            )
        }
    }

    /// Removes a finished file, unless it was replaced. A missing file is no error. Without a digest, a file changed in
    /// place is removed too: it looks the same as a file whose time changed.
    ///
    /// The caller must know whether another download has published its own file at this path since: see
    /// ``withPathLocked(of:_:)``.
    ///
    /// - Throws: The error of the removal, or `ECANCELED` if the task is cancelled during a comparison of bytes.
    public func remove(_ published: PublishedFile) async throws(SystemError) {
        // It was there before the download.
        guard !published.isSkipped else { return }
        if let found = try? await find(published), !published.isOnlyTouched(found.information),
            try await !isTheFile(found, published)
        {
            return
        }
        try await disk(of: published).remove(published) { published.fits($0) }
    }

    func disk(of published: PublishedFile) async throws(SystemError) -> Disk {
        do throws(RootUnavailable) {
            return try await disks.disk(published.root)
        } catch {
            throw error.systemError
        }
    }

    /// Removes the published file only if it is the recorded file itself. A copy with equal bytes is kept.
    ///
    /// - Throws: The error of the removal.
    public func discardFile(_ published: PublishedFile) async throws(SystemError) {
        try await disk(of: published).discardFile(published)
    }

    /// Removes a part file, or any other entry with its name. A missing entry is no error.
    public func discardPart(_ id: DownloadID, generation: Int) async {
        for disk in disks.all.values { await disk.discardPart(id, generation: generation) }
    }

    /// The names in the folder of part files; none if the disk of a named root fails. Its downloads report it, and it
    /// does not prevent the start.
    private func partNames(on disk: Disk) async throws(SystemError) -> [String] {
        let result = await pool.run { Result { () throws(SystemError) in try disk.folders.parts.entries() } }
        if case .failure = result, disk.root != .downloads { return [] }
        return try result.get()
    }

    /// Removes unneeded part files of the open roots. Files with other names are kept.
    ///
    /// - Parameter isNeeded: Whether a download may still resume from this part. An error ends the sweep.
    /// - Throws: `SystemError` if the folder cannot be listed, or the error of `isNeeded`.
    /// - Returns: The number of removed part files.
    public func sweepParts(isNeeded: (PartName) async throws -> Bool) async throws -> Int {
        var removed = 0
        for disk in disks.all.values {
            let names = try await partNames(on: disk)
            for name in names {
                guard let part = PartName(name), try await !isNeeded(part) else { continue }
                await disk.discardPart(part.id, generation: part.generation)
                removed += 1
            }
        }
        return removed
    }
}

extension SystemError {
    /// `ECANCELED`: the caller stopped waiting.
    fileprivate static let cancelled = Self(code: 125, call: "read")
}
