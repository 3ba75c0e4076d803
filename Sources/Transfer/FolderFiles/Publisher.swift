import Core
import HTTPFields
import Linux
import TransferRules

/// Publishes a finished part file. A crash at any step neither loses the file nor shows an incomplete one. The bytes
/// are durable before it begins. The order is: record the coming move, move the file, flush the folder.
///
/// The caller then records the completion.
struct Publisher {
    let files: FolderFiles
    let checkpointSink: any CheckpointSink

    func publish(
        _ part: VerifiedPart,
        of download: Download,
        _ checkpoint: Checkpoint
    ) async throws(AttemptInterruption) -> PublishedFile {
        do throws(RootUnavailable) {
            try await files.requireCurrent()
        } catch {
            throw .failed(error.failure)
        }
        if let file = try await replaceKeptFile(by: part, of: download, checkpoint) { return file }
        let destination = try await destination(of: download)
        let mayTakeAnother = download.request.onConflict.renames
        let names = download.fileName(checkpoint.source)
            .candidates(for: download.id, longest: files.longestName)
        for (number, name) in names.prefix(mayTakeAnother ? .max : 1).enumerated() {
            // The first name is nearly always free, and the move fails if it is not. A check in advance would cost
            // every download a system call.
            let isTried = number == 0 && mayTakeAnother
            if !isTried, try await isTaken(name, in: destination, download) { continue }
            let file = PublishedFile(
                path: PublishedFile.path(name, in: download.request.directory),
                root: files.root,
                digests: part.digests,
                identity: part.identity
            )
            if number == 0, let kept = try await recordExisting(name, insteadOf: part, of: download, checkpoint) {
                return kept
            }
            guard try await mappingSinkErrors({ try await checkpointSink.publish(file, checkpoint) }) else {
                // The other download may be about to publish the expected file.
                if number == 0, download.request.onConflict == .skip { break }
                continue
            }
            if try await move(part.name, to: destination, name.value, file.path, download) { return file }
            if number == 0, let kept = try await recordExisting(name, insteadOf: part, of: download, checkpoint) {
                return kept
            }
        }
        throw .failed(Self.noName)
    }

    // MARK: - Steps

    /// Publishes at the place of the earlier run's file, if that is still there.
    ///
    /// - Returns: nil if it is missing or was changed. Then the file is published like any other.
    private func replaceKeptFile(
        by part: VerifiedPart,
        of download: Download,
        _ checkpoint: Checkpoint
    ) async throws(AttemptInterruption) -> PublishedFile? {
        guard let kept = download.keptFile, kept.root == files.root, let name = kept.pathComponents.last,
            let destination = try await files.folder(of: kept),
            let found = try await files.found(kept, in: destination, name)
        else { return nil }
        let file = PublishedFile(
            path: kept.path,
            root: files.root,
            digests: part.digests,
            identity: part.identity
        )
        guard try await mappingSinkErrors({ try await checkpointSink.publish(file, checkpoint) }) else {
            throw .failed(Self.noName)
        }
        return try await move(part.name, to: destination, name, file.path, download, over: found) ? file : nil
    }

    func destination(of download: Download) async throws(AttemptInterruption) -> Directory {
        guard let directory = download.request.directory else { return files.folders.downloads }
        return try await mappingDestinationErrors { () async throws(SystemError) in
            try await files.pool.run {
                [folders = files.folders, access = files.abilities.directoryAccess]
                () throws(SystemError) in
                try folders.destination(directory, access)
            }
        }
    }

    /// - Parameter kept: The file of the earlier run, which is replaced whatever on_conflict says.
    /// - Returns: false if the name is taken.
    func move(
        _ part: PartName,
        to destination: Directory,
        _ name: String,
        _ path: String,
        _ download: Download,
        over kept: FileInformation? = nil
    ) async throws(AttemptInterruption) -> Bool {
        let replaces = download.request.onConflict.replaces
        // The parts folder need not be flushed. If the part file's old name reappears after a power cut, recovery finds
        // the file at its final path and the sweep at the start removes the old name.
        let isMoved = try await mappingDestinationErrors { () async throws(SystemError) in
            try await files.locks.withLock(PublishedFile.place(of: path, in: files.root)) {
                () async throws(SystemError) in
                do throws(SystemError) {
                    try await files.directorySync.synchronize(destination) {
                        [folders = files.folders] () throws(SystemError) in
                        let present = kept == nil ? nil : try? destination.information(of: name)
                        let isKept = kept.map { present?.isSameVersion(as: $0) == true } ?? false
                        try folders.parts.rename(part.text, to: destination, name, replacing: replaces || isKept)
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

    func synchronize(_ destination: Directory) async throws(AttemptInterruption) {
        try await mappingDestinationErrors { () async throws(SystemError) in
            try await files.directorySync.synchronize(destination)
        }
    }
}

extension Publisher {
    /// Checks the name before the record is written, so that a taken name costs no transaction.
    private func isTaken(
        _ name: FileName,
        in destination: Directory,
        _ download: Download
    ) async throws(AttemptInterruption) -> Bool {
        guard !download.request.onConflict.replaces else { return false }
        let isTaken = try await mappingDestinationErrors { () async throws(SystemError) in
            try await files.pool.run { () throws(SystemError) in try destination.exists(name.value) }
        }
        if isTaken && download.request.onConflict == .fail { throw .failed(Self.exists(name.value)) }
        return isTaken
    }

    private static func exists(_ name: String) -> TransferFailure {
        TransferFailure(DownloadError(.fileExists, message: "A file named '\(name)' exists already."))
    }

    static let noName = TransferFailure(
        DownloadError(.ioError, message: "Another download is publishing a file of this name now."),
        failureClass: .transient(.untilGivenUp)
    )
}
