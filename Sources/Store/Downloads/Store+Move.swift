public import Core

/// A move of a finished file.
public struct FileMove: Hashable, Sendable {
    public let id: DownloadID
    /// The recorded path.
    public let from: String
    public let to: String

    public init(_ id: DownloadID, from: String, to: String) {
        self.id = id
        self.from = from
        self.to = to
    }
}

/// The result of a step of a move.
public enum MoveOutcome: Sendable {
    case done(Download)
    /// The download is not completed, or its file has another path, or another move of it is underway.
    case outdated
    /// Another download is publishing or moving a file to the new path.
    case reserved
    /// The other changes of the command are refused.
    case refused(DownloadRefusal)
}

/// Moves of finished files (docs/decisions/0046). The new path is recorded before the file is moved, and the move after
/// it is durable. The caller holds the locks of both paths from the first call to the last.
extension Store {
    /// Records that a file is about to be moved. Nothing that clients see changes.
    ///
    /// - Parameter command: An edit without an action. It is validated here and applied at the end of the move.
    public func beginMove(
        _ move: FileMove,
        _ command: Command,
        replay: IdempotentOperation<Download>? = nil,
        now: Timestamp
    ) async throws -> IdempotentResult<MoveOutcome> {
        try await writer.write(touching: [move.id]) { transaction in
            // The end of the move stores the response.
            try transaction.once(replay, now: now) {
                try transaction.beginMove(move, command)
            } keeping: { _ in
                nil
            }
        }
    }

    /// Records a move whose file is durable at its new path, with the edit.
    ///
    /// - Parameter command: nil after a restart: only the place is changed then.
    public func finishMove(
        _ move: FileMove,
        _ command: Command? = nil,
        replay: IdempotentOperation<Download>? = nil,
        now: Timestamp
    ) async throws -> MoveOutcome {
        try await writer.write(isVital: true, touching: [move.id]) { transaction in
            guard let old = try transaction.download(move.id) else { return .refused(.notFound) }
            guard old.hasFile(at: move.from, movingTo: move.to) else { return .outdated }
            var edited = old
            if let command { edited = try transaction.apply(command.edit(old), of: command, to: old, now: now) }
            let instant = try transaction.placementTime(at: move.to, of: old, now: now)
            guard let moved = edited.movingFile(to: move.to, placedAt: instant) else { return .outdated }
            let recorded = try transaction.write(moved, over: edited, at: now)
            if let replay { try transaction.storeResponse(replay.response(recorded), to: replay.request, now: now) }
            return .done(recorded)
        }
    }

    /// Records that a file stays where it is.
    public func abandonMove(_ move: FileMove) async throws {
        try await writer.write(isVital: true, touching: [move.id]) { transaction in
            guard let old = try transaction.download(move.id), old.hasFile(at: move.from, movingTo: move.to) else {
                return
            }
            var new = old
            new.file?.movingTo = nil
            try transaction.update(old, to: new)
        }
    }

    /// The downloads whose moves an earlier process has not finished.
    public func unfinishedMoves() async throws -> [Download] {
        try await unreadable.skipping { readable in
            try await readers.readSnapshot { database in
                try database.downloads(
                    """
                    SELECT \(Download.columnList) FROM download {index download_moving}
                    WHERE file_moving_to IS NOT NULL \(readable.clause)
                    """,
                    readable.values
                )
            }
        }
    }
}

extension Download {
    fileprivate func hasFile(at path: String, movingTo target: String?) -> Bool {
        guard state == .completed, let file else { return false }
        return file.path == path && file.movingTo == target
    }
}

extension Transaction {
    /// An instant that is later than those at which other downloads got the path: the last one owns the file there.
    fileprivate func placementTime(at path: String, of download: Download, now: Timestamp) throws -> Timestamp {
        let root = (download.file ?? download.keptFile)?.root ?? download.request.root
        let latest = try database.first(
            Timestamp.self,
            """
            SELECT max(at) FROM (
                SELECT coalesce(file_placed_at, finished_at) AS at FROM download {index download_by_file}
                WHERE file_path = ?1 AND file_root = ?3 AND id <> ?2
                UNION ALL
                SELECT kept_placed_at FROM download {index download_by_kept_file}
                WHERE kept_path = ?1 AND kept_root = ?3 AND id <> ?2) AS s
            """,
            [path, download.id, root]
        )
        return max(now, latest.map { $0 + .milliseconds(1) } ?? now)
    }
}

extension Transaction {
    fileprivate func beginMove(_ move: FileMove, _ command: Command) throws -> MoveOutcome {
        guard let old = try download(move.id) else { return .refused(.notFound) }
        guard old.hasFile(at: move.from, movingTo: nil), old.file?.expiredAt == nil else { return .outdated }
        let edit = try command.edit(old)
        do throws(DownloadRefusal) {
            try old.requireMovable(with: edit, expectedRevision: command.expectedRevision)
        } catch {
            return .refused(error)
        }
        guard try !isReserved(move.to, in: old.file?.root ?? .downloads, except: move.id) else { return .reserved }
        var new = old
        new.file?.movingTo = move.to
        try update(old, to: new)
        return .done(new)
    }
}
