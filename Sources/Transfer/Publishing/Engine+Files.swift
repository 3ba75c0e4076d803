public import Core
import HTTPFields
public import Linux

/// A finished file, open for reading.
public struct OpenedFile: Sendable {
    public let file: File
    public let sizeBytes: Int64
    /// As the file system has it.
    public let modifiedAt: Timestamp
    /// Whether it is as its download left it, as far as its size, time and inode tell.
    let isUntouched: Bool
    /// Which file it is, whosever it is.
    let information: FileInformation
    /// The file as it is to be recorded now.
    public let published: PublishedFile

    /// A descriptor of the caller's own, which it must close; nil where the process has none left.
    public func descriptor() -> Int32? { try? file.duplicateDescriptor() }
}

extension Engine {
    /// Lets no download's file come to a finished file's place while `body` runs, which asks whose it is, and then
    /// opens the file or removes it. It is not to publish anything.
    public func withPathLocked<Value, Failure>(
        of published: PublishedFile,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await disk.places.withLock(published.path, body)
    }

    /// Opens a finished file, or returns nil where it is gone or another one stands in its place. One that looks as if
    /// it could be another is compared with the digests of the file, which takes as long as reading it.
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

    /// What tells without a comparison whether a finished file is in its place; nil where only one would tell.
    public func existsUnverified(_ published: PublishedFile) async throws(SystemError) -> Bool? {
        guard let found = try await find(published) else { return false }
        if found.isUntouched { return true }
        return published.digests.isEmpty || foreignFiles.contains(found.information, insteadOf: published) ? false : nil
    }

    /// Whether nothing stands in a finished file's place, or what has another size; what looks like it is not compared.
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

    /// Removes a finished file, unless another one stands in its place. That it is gone already is no fault. Where it
    /// has no digest, one that was changed in its place is removed too: nothing tells it from one that was touched.
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

    /// Removes the very file that was recorded and no other, be it one that looks like its copy.
    public func discardFile(_ published: PublishedFile) async throws(SystemError) {
        try await disk.discardFile(published)
    }

    /// Removes a part file that nobody needs any more, or what stands in its place. That it is missing is no fault.
    public func discardPart(_ id: DownloadID, generation: Int) async {
        await disk.discardPart(id, generation: generation)
    }

    /// Removes the part files that nobody needs. Files with other names are left alone.
    ///
    /// - Parameter isNeeded: Whether a download may yet go on from this part. What it throws ends the sweep.
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
    /// `ECANCELED`: nobody waits for the answer any more.
    fileprivate static let cancelled = Self(code: 125, call: "read")
}
