import GRDB
public import Model

/// What became of a request to delete a download.
public enum Deletion: Sendable {
    /// The record is gone; its file and its part file are the caller's to remove.
    case deleted(Download)
    case notFound
    /// It has not ended, and force was not asked for.
    case notTerminal(Download)
    /// It is being moved to its place: ask again in a moment.
    case busy(Download)
    case revisionMismatch(Download)
}

extension Store {
    /// Deletes the record of a download. Its events and their deliveries outlive it.
    ///
    /// - Parameter force: Cancels one that has not ended first, with its event.
    public func delete(
        _ id: DownloadID,
        force: Bool,
        expectedRevision: Int64?,
        now: Timestamp
    ) async throws -> Deletion {
        try await writer.write(isVital: true) { transaction in
            guard let old = try transaction.download(id) else { return .notFound }
            if let expectedRevision, expectedRevision != old.revision { return .revisionMismatch(old) }
            guard old.state.isTerminal || force else { return .notTerminal(old) }
            guard old.phase != .publishing else { return .busy(old) }
            let ended = old.state.isTerminal ? old : try transaction.cancel(old, now: now)
            try transaction.record(.downloadDeleted, ended, from: ended.state, at: now)
            try transaction.delete(ended)
            return .deleted(old)
        }
    }
}

extension Transaction {
    fileprivate func cancel(_ old: Download, now: Timestamp) throws -> Download {
        var machine = old.machine
        guard (try? machine.apply(.cancel)) != nil else { return old }
        var new = old
        new.adopt(machine)
        new.epoch += 1
        return try transition(old, to: new, event: .downloadCancelled, at: now)
    }
}
