import Core
import HTTPFields
import Linux
import TransferRules

/// Finishes what a process that ended has begun to publish.
extension Publisher {
    /// Finishes a publication after a process ended between the record and the completion. The folder may have been
    /// copied since, so the bytes are first compared with their digests.
    ///
    /// - Parameter blocks: The recorded block digests, for a file without a digest of the whole.
    func resume(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download
    ) async throws(AttemptInterruption) -> PublishedFile {
        if file.isSkipped { return try await resumeKept(file, of: download) }
        let part = PartName(id: download.id, generation: download.generation)
        let destination = try await destination(of: file, download)
        guard let name = file.pathComponents.last else { throw .failed(.lostPart) }
        if try await !isOfAnother(file, download),
            try await hasFile(file, blocks, destination, name, isOwn: false)
        {
            await removeOldName(of: download)
            try await synchronize(destination)
            return file
        }
        guard try await hasFile(file, blocks, files.folders.parts, part.text, isOwn: true) else {
            throw .failed(.lostPart)
        }
        try await removeReservation(of: file, download, in: destination, name)
        let kept = try await keptFile(at: file, of: download, in: destination, name)
        if try await move(part, to: destination, name, file.path, download, over: kept) { return file }
        // Another file took the name since, so this file gets another name.
        guard let (found, size) = try await PartFile.open(part, files.partFolder), size >= file.sizeBytes else {
            throw .failed(.lostPart)
        }
        let checkpoint = Checkpoint(
            generation: download.generation,
            source: download.source,
            totalBytes: file.sizeBytes,
            segments: []
        )
        let sealed = try await found.seal(
            size: file.sizeBytes,
            digests: file.digests,
            modifiedNanoseconds: file.modifiedNanoseconds
        )
        return try await publish(sealed, of: download, checkpoint)
    }

    /// Continues after a move whose folder could not be flushed. Searches for the file under the recorded name, even if
    /// the request has changed.
    ///
    /// - Parameter blocks: See ``resume(_:_:of:)``.
    /// - Returns: nil if the file is not there.
    func finishPlaced(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download
    ) async throws(AttemptInterruption) -> PublishedFile? {
        // Nothing was moved, and the next attempt looks for the file again.
        guard !file.isSkipped else { return nil }
        guard let folder = try await files.folder(of: file), let name = file.pathComponents.last,
            let found = try await files.information(of: name, in: folder), file.fits(found),
            file.isSame(as: found) || !file.digests.isEmpty, try await !isOfAnother(file, download)
        else { return nil }
        guard try await isIntact(file, blocks, folder, name) else {
            // It removes only the recorded file.
            try await discard(file)
            return nil
        }
        let checkpoint = Checkpoint(
            generation: download.generation,
            source: download.source,
            totalBytes: file.sizeBytes,
            segments: []
        )
        // The download was waiting, so it is no longer in phase `publishing`.
        guard try await mappingSinkErrors({ try await checkpointSink.publish(file, checkpoint) }) else {
            throw .failed(Self.noName)
        }
        await removeOldName(of: download)
        try await synchronize(folder)
        return file
    }

    // MARK: - Steps

    /// Removes the part file's name of a file that is at its final path. It may still exist: the move was a link and an
    /// unlink, or a power cut has undone its half. The sweep at the start has left it, because the download was open.
    private func removeOldName(of download: Download) async {
        try? await files.discardPart(PartName(id: download.id, generation: download.generation))
    }

    /// Whether the file at the path is that of another download. Its bytes may be the same, so they do not tell: both
    /// were about to take the name, and this process ended before it took another one.
    private func isOfAnother(
        _ file: PublishedFile,
        _ download: Download
    ) async throws(AttemptInterruption) -> Bool {
        // Who replaces files takes the path of another's record.
        guard !download.request.onConflict.replaces, download.keptFile?.place != file.place else { return false }
        return try await mappingSinkErrors { .done(try await checkpointSink.isFileOfAnother(at: file.path)) }
    }

    /// Removes the empty file that reserved the name, if the process ended before the rename over it. Only a file
    /// system without hard links needs such a file, and it is no older than the record of the publication.
    private func removeReservation(
        of file: PublishedFile,
        _ download: Download,
        in destination: Directory,
        _ name: String
    ) async throws(AttemptInterruption) {
        guard let found = try await files.information(of: name, in: destination) else { return }
        let recordedAt = download.times.progressedAt
        try await mappingDestinationErrors { () async throws(SystemError) in
            try await files.pool.run {
                [folders = files.folders, abilities = files.abilities] () throws(SystemError) in
                guard file.isReserved(by: found, since: recordedAt),
                    try abilities.renamesByReserving(probing: folders.parts)
                else {
                    return
                }
                try destination.remove(name)
            }
        }
    }

    /// The file of the earlier run, if a file is about to take its place, and it is unchanged.
    private func keptFile(
        at file: PublishedFile,
        of download: Download,
        in destination: Directory,
        _ name: String
    ) async throws(AttemptInterruption) -> FileInformation? {
        guard let kept = download.keptFile, kept.place == file.place else { return nil }
        return try await files.found(kept, in: destination, name)
    }

    /// The folder of a recorded file, even if the request has another one.
    private func destination(
        of file: PublishedFile,
        _ download: Download
    ) async throws(AttemptInterruption) -> Directory {
        guard download.keptFile?.place == file.place else { return try await destination(of: download) }
        return try await mappingDestinationErrors { () async throws(SystemError) in
            try await files.pool.run { [folders = files.folders] () throws(SystemError) in
                try folders.place(of: file)?.folder ?? folders.downloads
            }
        }
    }

    /// Whether the file with this name is the recorded one, or a copy of it in a copied folder.
    ///
    /// - Parameter isOwn: Whether only the service uses such names. An equal size is then enough if there is no digest.
    private func hasFile(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        _ directory: Directory,
        _ name: String,
        isOwn: Bool
    ) async throws(AttemptInterruption) -> Bool {
        guard let found = try await files.information(of: name, in: directory) else { return false }
        if file.isSame(as: found) {
            if try await isIntact(file, blocks, directory, name) { return true }
            // The next attempt repairs a damaged part file.
            if !isOwn { try await discard(file) }
            return false
        }
        guard file.fits(found), isOwn || !file.digests.isEmpty else { return false }
        return try await files.hasCopy(of: file, blocks, directory, name)
    }

    /// Whether the bytes of the recorded file match its digests. Without digests the result is true.
    private func isIntact(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        _ directory: Directory,
        _ name: String
    ) async throws(AttemptInterruption) -> Bool {
        // The file was flushed before it was recorded.
        if file.digests.isEmpty && blocks.isEmpty { return true }
        return try await files.hasCopy(of: file, blocks, directory, name)
    }

    /// Removes a published file whose bytes are not the recorded ones, so that no client reads it.
    private func discard(_ file: PublishedFile) async throws(AttemptInterruption) {
        try await mappingDestinationErrors { () async throws(SystemError) in
            try await files.locks.withLock(file.place) { () async throws(SystemError) in
                try await files.discardFile(file)
            }
        }
    }
}
