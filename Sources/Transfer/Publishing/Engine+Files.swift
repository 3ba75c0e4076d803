public import Core
import HTTPFields
public import Linux

/// A finished file, open for reading.
public struct OpenedFile: Sendable {
    public let file: File
    public let sizeBytes: Int64
    /// As the file system has it.
    public let modifiedAt: Timestamp
    /// Whether size, time and inode are as its download left them.
    let isUntouched: Bool
    /// Which file it is, whosever it is.
    let information: FileInformation
    /// The file's updated record.
    public let published: PublishedFile

    /// A descriptor of the caller's own, which it must close; nil where the process has none left.
    public func descriptor() -> Int32? { try? file.duplicateDescriptor() }
}

extension Engine {
    /// Locks a finished file's path while `body` runs, so that no download publishes there. `body` must not publish
    /// anything.
    public func withPathLocked<Value, Failure>(
        of published: PublishedFile,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await disk.places.withLock(published.path, body)
    }

    /// Opens a finished file; nil if it is missing or was replaced. If it may be another file, its bytes are compared
    /// with the digests, which takes as long as reading it.
    ///
    /// Whether another download has put its own file there since is for the caller to know: ``withPathLocked(of:_:)``.
    /// - Throws: What keeps a file that may well be there from being opened, and `ECANCELED` where the task is
    ///   cancelled before it is known.
    public func open(_ published: PublishedFile) async throws(SystemError) -> OpenedFile? {
        guard let opened = try await find(published) else { return nil }
        return try await isTheFile(opened, published) ? opened : nil
    }

    private func isTheFile(_ opened: OpenedFile, _ published: PublishedFile) async throws(SystemError) -> Bool {
        if opened.isUntouched { return true }
        guard !published.digests.isEmpty, !foreignFiles.contains(opened.information, insteadOf: published) else {
            return false
        }
        let digester = Digester(opened.file, algorithms: published.digests.map(\.algorithm), pool: disk.pool)
        guard let digests = try await digester.finish(size: opened.sizeBytes) else { throw .cancelled }
        if digests == published.digests { return true }
        foreignFiles.insert(opened.information, insteadOf: published)
        return false
    }

    /// Whether a finished file is in its place; nil if only a comparison of its bytes could tell.
    public func existsUnverified(_ published: PublishedFile) async throws(SystemError) -> Bool? {
        guard let found = try await find(published) else { return false }
        if found.isUntouched { return true }
        return published.digests.isEmpty || foreignFiles.contains(found.information, insteadOf: published) ? false : nil
    }

    /// Whether a finished file is missing, or a file of another size has its path. Bytes are not compared.
    public func misses(_ published: PublishedFile) async throws(SystemError) -> Bool {
        try await find(published) == nil
    }

    private func find(_ published: PublishedFile) async throws(SystemError) -> OpenedFile? {
        try await disk.pool.run { [folders = disk.folders] () throws(SystemError) -> OpenedFile? in
            let file: File
            do throws(SystemError) {
                file = try folders.downloads.openFile(relative: published.path)
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

    /// Removes a finished file, unless it was replaced. A missing file is no error. Without a digest a file that was
    /// changed in place is removed too, because it cannot be told from one whose time changed.
    ///
    /// Whether another download has put its own file there since is for the caller to know: ``withPathLocked(of:_:)``.
    public func remove(_ published: PublishedFile) async throws(SystemError) {
        if let found = try? await find(published), !published.isOnlyTouched(found.information),
            try await !isTheFile(found, published)
        {
            return
        }
        try await disk.remove(published) { published.fits($0) }
    }

    /// Removes the recorded file itself and no other, not even a copy of it.
    public func discardFile(_ published: PublishedFile) async throws(SystemError) {
        try await disk.discardFile(published)
    }

    /// Removes a part file, or whatever has its name. A missing file is no error.
    public func discardPart(_ id: DownloadID, generation: Int) async {
        await disk.discardPart(id, generation: generation)
    }

    /// Removes unneeded part files. Files with other names are left alone.
    ///
    /// - Parameter isNeeded: Whether a download may still resume from this part. An error that it throws ends the
    ///   sweep.
    /// - Throws: `SystemError` where the folder cannot be listed, and what `isNeeded` throws.
    /// - Returns: How many were removed.
    public func sweepParts(isNeeded: (PartName) async throws -> Bool) async throws -> Int {
        let names = try await disk.pool.run { [folders = disk.folders] () throws(SystemError) in
            try folders.parts.entries()
        }
        var removed = 0
        for name in names {
            guard let part = PartName(name), try await !isNeeded(part) else { continue }
            await discardPart(part.id, generation: part.generation)
            removed += 1
        }
        return removed
    }
}

extension SystemError {
    /// `ECANCELED`: the caller does not wait any more.
    fileprivate static let cancelled = Self(code: 125, call: "read")
}
