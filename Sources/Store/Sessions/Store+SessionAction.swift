public import Core
import GRDB

/// A download that an action moved.
public struct MovedDownload: Sendable {
    public let download: Download
    /// The claim of a worker that must stop.
    public let stoppedEpoch: Int64?
    /// The part file to remove.
    public let discardedGeneration: Int?
}

/// What an action on several downloads came to.
public struct ActionOutcome: Sendable {
    public internal(set) var moved: [MovedDownload] = []
    /// How many had ended, or stood where they were to be.
    public internal(set) var unchanged = 0
    /// How many cannot be moved: they are being published, or their rows cannot be read.
    public internal(set) var refused = 0
}

extension Store {
    /// The downloads of a session that an action moves, from one snapshot. Waiting downloads come first and running
    /// ones last, so that no waiting one begins in a freed slot.
    public func downloads(of session: SessionName, for action: SessionAction) async throws -> [DownloadID] {
        try await readers.readSnapshot { database in
            // Whatever is open belongs to the drain under way, so nothing that has ended is walked.
            let statement = try database.cachedStatement(
                sql: """
                    SELECT id, waiting_for FROM download INDEXED BY download_by_drain WHERE session = ?1
                    AND session_epoch = (SELECT session_epoch FROM session WHERE name = ?1) AND state = ?2
                    """
            )
            return try DownloadState.openInOrderOfAction.flatMap { state in
                var ids: [DownloadID] = []
                let rows = try Row.fetchCursor(statement, arguments: [session.text, state.rawValue])
                while let row = try rows.next() {
                    var reader = RowReader(row)
                    let id = DownloadID(try reader.next(String.self))
                    let reason = try reader.next(String?.self).flatMap(WaitingFor.init)
                    if let id, action.moves(state, waitingFor: reason) { ids.append(id) }
                }
                return ids
            }
        }
    }

    /// Carries out an action on downloads of a session, all in one transaction. A few hundred at a time do not hold the
    /// writer for long.
    ///
    /// The current state of each decides. A download that already has the target state is left alone, so that an
    /// interrupted action can be repeated as a whole.
    ///
    /// - Parameters:
    ///   - keepsPartial: For `cancel`: leaves the bytes for a later retry.
    ///   - timeLimit: As that of a ``Command``.
    public func act(
        _ action: SessionAction,
        on ids: [DownloadID],
        keepsPartial: Bool,
        timeLimit: Duration,
        now: Timestamp
    ) async throws -> ActionOutcome {
        let command = Command(action: action.downloadAction, keepsPartial: keepsPartial, timeLimit: timeLimit)
        return try await writer.write(isVital: action != .resume) { transaction in
            var outcome = ActionOutcome()
            for id in ids {
                do {
                    try transaction.act(action, command, on: id, &outcome, now: now)
                } catch StoreError.unreadableDownloads {
                    // It was read before anything of it was written.
                    outcome.refused += 1
                }
            }
            return outcome
        }
    }
}

extension Transaction {
    fileprivate func act(
        _ action: SessionAction,
        _ command: Command,
        on id: DownloadID,
        _ outcome: inout ActionOutcome,
        now: Timestamp
    ) throws {
        guard let old = try download(id), action.moves(old.state, waitingFor: old.waitingFor) else {
            outcome.unchanged += 1
            return
        }
        guard case .done(let download, let stopped, let discarded) = try carryOut(command, on: old, now: now) else {
            outcome.refused += 1
            return
        }
        outcome.moved.append(
            MovedDownload(download: download, stoppedEpoch: stopped, discardedGeneration: discarded)
        )
    }
}

extension DownloadState {
    fileprivate static let openInOrderOfAction: [Self] = [.queued, .waiting, .paused, .running]
}
