import Core
import HTTPFields
import Linux
import TransferRules

/// Publishes a finished part file. A crash at any step neither loses the file nor shows an incomplete one. The order
/// is: flush the bytes, record the coming move, move the file, flush the folder.
///
/// The caller then records the completion.
struct Publisher {
    let disk: Disk
    let checkpointSink: any CheckpointSink

    func publish(
        _ part: VerifiedPartFile,
        of download: Download,
        _ checkpoint: Checkpoint
    ) async throws(AttemptInterruption) -> PublishedFile {
        let destination = try await destination(of: download)
        let mayTakeAnother = download.request.onConflict == .rename
        let names = download.fileName(checkpoint.source).candidates(for: download.id)
        for (number, name) in names.prefix(mayTakeAnother ? .max : 1).enumerated() {
            // The first name is nearly always free, and the move fails if it is not. A check in advance would cost
            // every download a system call.
            let isTried = number == 0 && mayTakeAnother
            if !isTried, try await isTaken(name, in: destination, download) { continue }
            let file = PublishedFile(
                path: path(name.value, in: download.request.directory),
                sizeBytes: part.size,
                digests: part.digests,
                identity: part.identity,
                modifiedNanoseconds: part.modifiedNanoseconds
            )
            guard try await mappingSinkErrors({ try await checkpointSink.publish(file, checkpoint) }) else { continue }
            if try await move(part.name, to: destination, name.value, download) { return file }
        }
        throw .failed(Self.noName)
    }

    /// Finishes a publication after a process ended between the record and the completion. The folder may have been
    /// copied since, so the bytes are first compared with their digests.
    ///
    /// - Parameter blocks: The recorded block digests, for a file without a digest of the whole.
    func resume(
        _ file: PublishedFile,
        _ blocks: [BlockDigest],
        of download: Download
    ) async throws(AttemptInterruption) -> PublishedFile {
        let part = PartName(id: download.id, generation: download.generation)
        let destination = try await destination(of: download)
        guard let name = file.pathComponents.last else { throw .failed(.lostPart) }
        if try await hasFile(file, blocks, destination, name, isOwn: false) {
            // The file was moved. If the move was a link and an unlink, the part file's name may still exist.
            await disk.discardPart(download.id, generation: download.generation)
            try await synchronize(destination)
            return file
        }
        guard try await hasFile(file, blocks, disk.folders.parts, part.text, isOwn: true) else {
            throw .failed(.lostPart)
        }
        if try await move(part, to: destination, name, download) { return file }
        // Another file took the name since, so this file gets another name.
        guard let (found, size) = try await PartFile.open(part, disk), size >= file.sizeBytes else {
            throw .failed(.lostPart)
        }
        let checkpoint = Checkpoint(
            generation: download.generation,
            source: download.source,
            totalBytes: file.sizeBytes,
            segments: []
        )
        let sealed = try await found.seal(size: file.sizeBytes, digests: file.digests, disk)
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
        guard let folder = try await folder(containing: file), let name = file.pathComponents.last else { return nil }
        guard try await isIntact(file, blocks, folder, name) else {
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
        try await synchronize(folder)
        return file
    }

    // MARK: - Steps

    private func folder(containing file: PublishedFile) async throws(AttemptInterruption) -> Directory? {
        try await mappingDestinationErrors { () async throws(SystemError) in
            try await disk.pool.run { [folders = disk.folders] () throws(SystemError) -> Directory? in
                do throws(SystemError) {
                    guard let (folder, name) = try folders.place(of: file) else { return nil }
                    return file.isSame(as: try folder.information(of: name)) ? folder : nil
                } catch  where error.isUnreachable {
                    return nil
                }
            }
        }
    }

    private func destination(of download: Download) async throws(AttemptInterruption) -> Directory {
        guard let directory = download.request.directory else { return disk.folders.downloads }
        return try await mappingDestinationErrors { () async throws(SystemError) in
            try await disk.pool.run {
                [folders = disk.folders, mode = disk.folderMode]
                () throws(SystemError) in
                try folders.destination(directory, mode: mode)
            }
        }
    }

    /// - Returns: false if the name is taken.
    private func move(
        _ part: PartName,
        to destination: Directory,
        _ name: String,
        _ download: Download
    ) async throws(AttemptInterruption) -> Bool {
        let replaces = download.request.onConflict == .overwrite
        // The parts folder need not be flushed. If the part file's old name reappears after a power cut, recovery finds
        // the file at its final path and the sweep at the start removes the old name.
        let isMoved = try await mappingDestinationErrors { () async throws(SystemError) in
            try await disk.places.withLock(path(name, in: download.request.directory)) {
                () async throws(SystemError) in
                do throws(SystemError) {
                    try await disk.directorySync.synchronize(destination) {
                        [folders = disk.folders] () throws(SystemError) in
                        try folders.parts.rename(part.text, to: destination, name, replacing: replaces)
                    }
                    return true
                } catch  where error.isExists {
                    return false
                }
            }
        }
        if !isMoved, download.request.onConflict == .fail { throw .failed(Self.exists(name)) }
        return isMoved
    }

    private func synchronize(_ destination: Directory) async throws(AttemptInterruption) {
        try await mappingDestinationErrors { () async throws(SystemError) in
            try await disk.directorySync.synchronize(destination)
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
        let found = try await mappingDestinationErrors { () async throws(SystemError) in
            try await disk.pool.run { () throws(SystemError) -> FileInformation? in
                do throws(SystemError) {
                    return try directory.information(of: name)
                } catch  where error.isMissing {
                    return nil
                }
            }
        }
        guard let found else { return false }
        if file.isSame(as: found) {
            if try await isIntact(file, blocks, directory, name) { return true }
            // The next attempt repairs a damaged part file.
            if !isOwn { try await discard(file) }
            return false
        }
        guard file.fits(found), isOwn || !file.digests.isEmpty else { return false }
        return try await hasCopy(of: file, blocks, directory, name)
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
        return try await hasCopy(of: file, blocks, directory, name)
    }

    /// Removes a published file whose bytes are not the recorded ones, so that no client reads it.
    private func discard(_ file: PublishedFile) async throws(AttemptInterruption) {
        try await mappingDestinationErrors { () async throws(SystemError) in try await disk.discardFile(file) }
    }

    /// Whether the bytes match the digests. The file is flushed first, because a copy may not be durable.
    private func hasCopy(
        of file: PublishedFile,
        _ blocks: [BlockDigest],
        _ directory: Directory,
        _ name: String
    ) async throws(AttemptInterruption) -> Bool {
        let isWhole = try await mappingDestinationErrors { () async throws(SystemError) -> Bool? in
            let copy = try await disk.pool.run { () throws(SystemError) in
                let copy = try directory.openFile(named: name, access: .read)
                try copy.synchronize()
                return copy
            }
            if file.digests.isEmpty {
                return try await BlockHasher(file: copy, pool: disk.pool).damaged(among: blocks)?.isEmpty
            }
            let digester = Digester(copy, algorithms: file.digests.map(\.algorithm), pool: disk.pool)
            return try await digester.finish(size: file.sizeBytes).map { $0 == file.digests }
        }
        guard let isWhole else { throw .stopped }
        return isWhole
    }
}

extension Publisher {
    /// Checks the name before the record is written, so that a taken name costs no transaction.
    private func isTaken(
        _ name: FileName,
        in destination: Directory,
        _ download: Download
    ) async throws(AttemptInterruption) -> Bool {
        guard download.request.onConflict != .overwrite else { return false }
        let isTaken = try await mappingDestinationErrors { () async throws(SystemError) in
            try await disk.pool.run { () throws(SystemError) in try destination.exists(name.value) }
        }
        if isTaken && download.request.onConflict == .fail { throw .failed(Self.exists(name.value)) }
        return isTaken
    }

    private func path(_ name: String, in directory: RelativeDirectory?) -> String {
        directory.map { "\($0.path)/\(name)" } ?? name
    }

    private static func exists(_ name: String) -> TransferFailure {
        TransferFailure(DownloadError(.fileExists, message: "A file named '\(name)' exists already."))
    }

    private static let noName = TransferFailure(
        DownloadError(.ioError, message: "Another download is publishing a file of this name now."),
        failureClass: .transient(.untilGivenUp)
    )
}
