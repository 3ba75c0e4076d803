public import Linux
public import Model

/// A finished file, open for reading.
public struct OpenedFile: Sendable {
    public let file: File
    public let sizeBytes: Int64
    /// As the file system has it.
    public let modifiedAt: Timestamp

    /// A descriptor of the caller's own, which it must close; nil where the process has none left.
    public func descriptor() -> Int32? { try? file.duplicateDescriptor() }
}

extension Engine {
    /// Opens a finished file, or returns nil where it is gone or something of another size stands in its place.
    ///
    /// Whether another download has put its own file there since is for the caller to know.
    /// - Throws: What keeps a file that may well be there from being opened.
    public func open(_ published: PublishedFile) async throws(SystemError) -> OpenedFile? {
        try await pool.run { [folders] () throws(SystemError) -> OpenedFile? in
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
                modifiedAt: Timestamp(milliseconds: information.modifiedNanoseconds / 1_000_000)
            )
        }
    }

    /// Removes a file, unless something else stands in its place. That it is gone already is no fault.
    ///
    /// - Parameter isFinished: Whether its download completed: then the name is its own, and what has its size is taken
    ///   for it. Otherwise the very file that was recorded is removed and no other.
    public func remove(_ published: PublishedFile, isFinished: Bool = true) async throws(SystemError) {
        try await pool.run { [folders] () throws(SystemError) in
            do throws(SystemError) {
                try Self.remove(published, from: folders.downloads) { found in
                    isFinished ? published.fits(found) : published.isSame(as: found)
                }
            } catch  where error.isMissing || error.isNoPath {
                return
            }
        }
    }

    private static func remove(
        _ published: PublishedFile,
        from downloads: Directory,
        where isIt: (FileInformation) -> Bool
    ) throws(SystemError) {
        let parts = published.pathComponents
        guard let name = parts.last else { return }
        let path = parts.dropLast().joined(separator: "/")
        let folder = path.isEmpty ? downloads : try downloads.openDirectory(relative: path)
        guard isIt(try folder.information(of: name)) else { return }
        try folder.remove(name)
        try folder.synchronize()
    }

    /// Removes the part files that nobody needs. Files with other names are left alone.
    ///
    /// - Parameter isNeeded: Whether a download may yet go on from this part. What it throws ends the sweep.
    /// - Throws: `SystemError` where the folder cannot be listed, and what `isNeeded` throws.
    /// - Returns: How many were removed.
    public func sweepParts(isNeeded: (PartName) async throws -> Bool) async throws -> Int {
        let names = try await pool.run { [folders] () throws(SystemError) in try folders.parts.entries() }
        var removed = 0
        for name in names {
            guard let part = PartName(name), try await !isNeeded(part) else { continue }
            await discardPart(part.id, generation: part.generation)
            removed += 1
        }
        return removed
    }
}
