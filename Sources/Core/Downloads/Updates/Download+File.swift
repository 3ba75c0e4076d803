extension Download {
    /// Records another state of its finished file, which clients see.
    public mutating func setFile(_ changed: PublishedFile, at now: Timestamp) {
        file = changed
        revision += 1
        times.updatedAt = now
    }

    /// The end of a move of its finished file.
    ///
    /// - Parameters:
    ///   - path: The new path, relative to the root.
    ///   - instant: When the file got the path. It must be later than the instants of other downloads at that path.
    /// - Returns: nil if it has no file.
    public func movingFile(to path: String, placedAt instant: Timestamp) -> DownloadUpdate? {
        guard var moved = file?.moved(to: path) else { return nil }
        moved.placedAt = instant
        var new = self
        new.file = moved
        new.request.directory = moved.folderPath.flatMap { try? RelativeDirectory(validating: $0) }
        new.request.filename = moved.pathComponents.last.flatMap { try? FileName(validating: $0) }
        return DownloadUpdate(new)
    }
}
