import Core
import HTTPFields
import Linux
import TransferRules

/// Keeps a file that is there already instead of publishing another one.
///
/// The path is locked from the comparison of the file to its record, so that no download replaces it meanwhile. The
/// record reserves the path until the download is completed.
extension Publisher {
    /// Records the file with this name as the download's, if it has the expected size and digests.
    ///
    /// - Returns: nil if it is missing or another one.
    func recordExisting(
        _ name: FileName,
        expecting expected: Expected,
        algorithms: [DigestAlgorithm],
        of download: Download,
        _ checkpoint: Checkpoint
    ) async throws(AttemptInterruption) -> PublishedFile? {
        let path = PublishedFile.path(name, in: download.request.directory)
        return try await files.locks.withLock(PublishedFile.place(of: path, in: files.root)) {
            () async throws(AttemptInterruption) in
            guard let found = try await find(path, expecting: expected, algorithms) else { return nil }
            try await record(found, as: download, checkpoint)
            return found
        }
    }

    /// Keeps the expected file instead of a finished part, if the download may skip.
    func recordExisting(
        _ name: FileName,
        insteadOf part: VerifiedPart,
        of download: Download,
        _ checkpoint: Checkpoint
    ) async throws(AttemptInterruption) -> PublishedFile? {
        guard download.request.onConflict == .skip, download.request.expected.namesOneFile else { return nil }
        return try await recordExisting(
            name,
            expecting: download.request.expected,
            algorithms: part.digests.map(\.algorithm),
            of: download,
            checkpoint
        )
    }

    /// Records a file that an earlier download fetched as that of this download too.
    ///
    /// - Returns: nil if it has changed since.
    func recordExisting(
        _ file: PublishedFile,
        of download: Download,
        _ checkpoint: Checkpoint
    ) async throws(AttemptInterruption) -> PublishedFile? {
        try await files.locks.withLock(file.place) { () async throws(AttemptInterruption) in
            guard try await files.isUnchanged(file) else { return nil }
            var kept = file
            kept.isSkipped = true
            (kept.movingTo, kept.placedAt, kept.expiredAt) = (nil, nil, nil)
            try await record(kept, as: download, checkpoint)
            return kept
        }
    }

    /// Continues after a crash between the record of a kept file and the completion.
    ///
    /// - Throws: A failure with which the download starts over, if the file is not the recorded one any more.
    func resumeKept(_ file: PublishedFile, of download: Download) async throws(AttemptInterruption) -> PublishedFile {
        guard try await files.isUnchanged(file) else { throw .failed(.lostPart) }
        try? await files.discardPart(PartName(id: download.id, generation: download.generation))
        return file
    }

    /// Records the file, and discards the part, which an earlier attempt may have left.
    ///
    /// - Throws: A failure with which the download is retried, if another download is publishing at the path.
    private func record(
        _ file: PublishedFile,
        as download: Download,
        _ checkpoint: Checkpoint
    ) async throws(AttemptInterruption) {
        var checkpoint = checkpoint
        checkpoint.totalBytes = file.sizeBytes
        checkpoint.segments = []
        checkpoint.blocks = []
        let complete = checkpoint
        guard try await mappingSinkErrors({ try await checkpointSink.publish(file, complete) }) else {
            throw .failed(Self.noName)
        }
        try? await files.discardPart(PartName(id: download.id, generation: checkpoint.generation))
    }

    /// The durable file at a path, if it has the expected size and digests.
    private func find(
        _ path: String,
        expecting expected: Expected,
        _ algorithms: [DigestAlgorithm]
    ) async throws(AttemptInterruption) -> PublishedFile? {
        let result = try await mappingDestinationErrors { () async throws(SystemError) -> ExistingSearch in
            let opened = try await files.pool.run { [folders = files.folders] () throws(SystemError) in
                try folders.openExpected(path, sizeBytes: expected.sizeBytes)
            }
            guard let (file, before) = opened else { return .other }
            var digests: [Digest] = []
            if !expected.digests.isEmpty {
                let digester = Digester(file, algorithms: algorithms, pool: files.pool)
                guard let found = try await digester.finish(size: before.size) else { return .stopped }
                digests = found
            }
            guard expected.mismatch(digests) == nil, try await isDurable(file, unchangedSince: before, path) else {
                return .other
            }
            return .expected(PublishedFile(keeping: path, below: files.root, before, digests))
        }
        switch result {
        case .expected(let file): return file
        case .other: return nil
        case .stopped: throw .stopped
        }
    }

    /// Makes a file durable that the service may not have written.
    ///
    /// - Returns: Whether it is still the same.
    private func isDurable(
        _ file: File,
        unchangedSince before: FileInformation,
        _ path: String
    ) async throws(SystemError) -> Bool {
        let folder = try await files.pool.run { [folders = files.folders] () throws(SystemError) -> Directory? in
            try file.synchronize()
            let after = try file.information()
            guard after.size == before.size, after.modifiedNanoseconds == before.modifiedNanoseconds else { return nil }
            guard let (folder, name) = try folders.place(at: path) else { return nil }
            return try folder.information(of: name).identity == before.identity ? folder : nil
        }
        guard let folder else { return false }
        try await files.directorySync.synchronize(folder)
        return true
    }
}

/// The result of a search for an expected file.
private enum ExistingSearch: Sendable {
    case expected(PublishedFile)
    case other
    /// The task was cancelled.
    case stopped
}

extension Folders {
    /// Opens a file, if it is a regular one of the expected size.
    fileprivate func openExpected(
        _ path: String,
        sizeBytes: Int64?
    ) throws(SystemError) -> (file: File, information: FileInformation)? {
        guard let file = try openFinished(path) else { return nil }
        let information = try file.information()
        guard information.kind == .regular, sizeBytes == nil || sizeBytes == information.size else { return nil }
        return (file, information)
    }
}

extension PublishedFile {
    fileprivate init(
        keeping path: String,
        below root: RootName,
        _ found: FileInformation,
        _ digests: [HTTPFields.Digest]
    ) {
        self.init(
            path: path,
            root: root,
            digests: digests,
            identity: Core.FileIdentity(found)
        )
        isSkipped = true
    }
}
