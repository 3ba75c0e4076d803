import Core
import Store
import Transfer

/// Moves of finished files (docs/decisions/0046): `PATCH` of `directory` and `filename` of a completed download.
extension DownloadService {
    /// How often a move starts again because the download has changed meanwhile.
    private static let tries = 8

    /// Moves the file of a completed download, and applies the rest of the patch.
    ///
    /// - Returns: nil if the download is not completed, or if the patch moves nothing: then it is a command.
    func move(
        _ id: DownloadID,
        _ patch: DownloadPatch,
        _ command: Command,
        replay: IdempotentOperation<Download>?
    ) async throws -> IdempotentResult<DownloadView>? {
        guard patch.movesFile else { return nil }
        for _ in 0..<Self.tries {
            guard let download = try await store.download(id),
                download.state == .completed, let file = download.file
            else { return nil }
            // The file is not the download's own, so its other records would lose it.
            if file.isSkipped { throw ServiceError.fieldLocked(patch.placeMembers, download.state) }
            try await requireRoot(of: file)
            if file.movingTo != nil {
                try await settleMove(of: download)
                continue
            }
            if let result = try await move(download, file, patch, command, replay) { return result }
        }
        throw ServiceError.busy
    }

    /// - Returns: nil if the download has changed since it was read.
    private func move(
        _ download: Download,
        _ file: PublishedFile,
        _ patch: DownloadPatch,
        _ command: Command,
        _ replay: IdempotentOperation<Download>?
    ) async throws -> IdempotentResult<DownloadView>? {
        let edit = try validator.edit(patch, of: download, now: time.now)
        let directory = edit.directory.map { $0.value?.path } ?? file.folderPath
        let name = edit.newName(of: download)
        let mayTakeAnother = download.request.onConflict.renames
        // Without its root the move fails, whatever the name is.
        let longest = (try? await engine.longestName(in: file.root)) ?? FileName.maximumBytes
        let candidates = name.candidates(for: download.id, longest: longest)
        for candidate in candidates.prefix(mayTakeAnother ? .max : 1) {
            let path = directory.map { "\($0)/\(candidate.value)" } ?? candidate.value
            let move = FileMove(download.id, from: file.path, to: path)
            let outcome = try await carryOut(move, file, download, command, replay)
            switch outcome {
            case .done(.done(let moved)): return .done(view(of: moved))
            case .done(.outdated): return nil
            case .done(.reserved): continue
            case .done(.refused(let refusal)): throw refusal
            case .replayed(let response): return .replayed(response)
            case .keyReused: return .keyReused
            }
        }
        throw ServiceError.fileExists(name.value)
    }

    /// - Returns: ``MoveOutcome/reserved`` if another file has the path.
    private func carryOut(
        _ move: FileMove,
        _ file: PublishedFile,
        _ download: Download,
        _ command: Command,
        _ replay: IdempotentOperation<Download>?
    ) async throws -> IdempotentResult<MoveOutcome> {
        try await engine.withPathsLocked(move.from, move.to, below: file.root) {
            () async throws -> IdempotentResult<MoveOutcome> in
            let isLost = try await store.hasLostFile(download)
            guard !isLost else { throw ServiceError.fileGone }
            let begun = try await store.beginMove(move, command, replay: replay, now: time.now)
            guard case .done(.done) = begun else { return begun }
            // A file that keeps its path has its new name already.
            if move.from != move.to {
                let replaces = download.request.onConflict.replaces
                switch try await moveFile(move, file, replaces: replaces) {
                case .moved: break
                case .taken:
                    try await abandon(move)
                    return .done(.reserved)
                case .missing:
                    try await abandon(move)
                    throw ServiceError.fileGone
                }
            }
            return .done(try await store.finishMove(move, command, replay: replay, now: time.now))
        }
    }

    private func moveFile(
        _ move: FileMove,
        _ file: PublishedFile,
        replaces: Bool
    ) async throws -> MoveResult {
        do throws(FilesUnavailable) {
            return try await engine.move(file, to: move.to, replaces: replaces)
        } catch {
            var moving = file
            moving.movingTo = move.to
            // If the disk cannot tell, the next start or the next move of the download finds out.
            guard let hasMoved = try? await engine.hasMoved(moving, recordedAt: time.now) else {
                throw ServiceError.fileNotMoved(error.message)
            }
            if hasMoved { return .moved }
            try await abandon(move)
            throw ServiceError(moving: error)
        }
    }

    private func abandon(_ move: FileMove) async throws {
        try await store.abandonMove(move)
    }

    /// Finishes or abandons a move that was interrupted.
    func settleMove(of download: Download) async throws {
        if let file = download.file { try await requireRoot(of: file) }
        do {
            try await Self.settleMove(of: download, store, engine, now: time.now)
        } catch let error as ServiceError {
            throw error
        } catch let error as StoreError {
            throw ServiceError(error)
        } catch {
            throw ServiceError.fileNotMoved("\(error)")
        }
    }

    /// Finishes the move if the file is at its new path; otherwise abandons it.
    static func settleMove(of download: Download, _ store: Store, _ engine: Engine, now: Timestamp) async throws {
        guard let file = download.file, let path = file.movingTo else { return }
        let move = FileMove(download.id, from: file.path, to: path)
        try await engine.withPathsLocked(move.from, move.to, below: file.root) {
            // Another task may have settled it while this one waited for the locks.
            guard let current = try await store.download(download.id), current.file?.movingTo == path,
                current.file?.path == file.path
            else { return }
            if try await engine.hasMoved(file, recordedAt: current.times.updatedAt) {
                _ = try await store.finishMove(move, now: now)
            } else {
                try await store.abandonMove(move)
            }
        }
    }
}

extension ServiceError {
    /// The error of a move that has left the file where it was.
    fileprivate init(moving error: FilesUnavailable) {
        switch error.cause {
        case .outOfSpace:
            self = .insufficientStorage
        case .unreachable:
            let detail = "A part of the path is no folder, is too long, or is on another file system. Give another."
            self = .unprocessable([Violation("/directory", .malformed, detail)])
        case .outOfDescriptors, .cancelled, .other:
            self = .fileNotMoved(error.message)
        }
    }
}

extension DownloadEdit {
    /// The name of a completed download's file after this edit: the requested one, or the one that the origin and the
    /// URL give.
    fileprivate func newName(of download: Download) -> FileName {
        switch filename {
        case .set(let name): return name
        case .clear:
            var unnamed = download
            unnamed.request.filename = nil
            return unnamed.fileName(download.source)
        case nil: return FileName(sanitizing: download.name)
        }
    }
}
