public import Core

/// The result of an action on several downloads.
public struct ActionOutcome: Sendable {
    public internal(set) var results: [CommandResult] = []
    /// How many had ended, or were already in the target state.
    public internal(set) var unchanged = 0
    /// How many cannot be changed: they are being published, or their rows cannot be read.
    public internal(set) var refused = 0
}

extension Store {
    /// The downloads of a session to which an action applies, from one snapshot. Waiting downloads come first and
    /// running ones last, so that no waiting download starts in a freed slot.
    public func downloads(of session: SessionName, for action: SessionAction) async throws -> [DownloadID] {
        try await readers.readSnapshot { database in
            let sql = """
                SELECT id, waiting_for FROM download {index download_by_session} WHERE session = ? AND state = ?
                """
            return try DownloadState.openInOrderOfAction.flatMap { state in
                var ids: [DownloadID] = []
                try database.rows(Statement(sql, [session, state])) { row in
                    let id = DownloadID(try row.next(String.self))
                    let reason = try row.next(String?.self).flatMap(WaitingFor.init)
                    if let id, action.moves(state, waitingFor: reason) { ids.append(id) }
                    return true
                }
                return ids
            }
        }
    }

    /// Applies an action to downloads of a session in one transaction. Pass at most a few hundred, so that the writer
    /// is not blocked for long.
    ///
    /// The current state of each download decides. A download that already has the target state is skipped, so that an
    /// interrupted action can be repeated as a whole.
    ///
    /// - Parameters:
    ///   - keepsPartial: For `cancel`: keeps the bytes for a later retry.
    ///   - timeLimit: As in a ``Command``.
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
                    // The row is read before anything of the download is written.
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
        switch try carryOut(command, on: old, now: now) {
        case .success(let result): outcome.results.append(result)
        case .failure: outcome.refused += 1
        }
    }
}

extension DownloadState {
    fileprivate static let openInOrderOfAction: [Self] = [.queued, .waiting, .paused, .running]
}
