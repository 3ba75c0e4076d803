import Core
import Synchronization

extension Transaction {
    func download(_ id: DownloadID) throws -> Download? {
        try rows.download(id) ?? takeLoaded(id) ?? database.download(id)
    }

    func insert(_ download: Download, sessionEpoch: Int64?) throws {
        try database.write(Self.insertion) { writer in
            download.write(to: &writer)
            writer.add(sessionEpoch)
        }
        try count(from: nil, to: download)
        try insertLabels(of: download)
        rows.record(download)
    }

    /// Writes the parts of the row that differ from `old`, the value that the writer read or wrote last.
    ///
    /// It writes the row alone, for a claim and the progress of its worker. ``write(_:over:at:)`` is for all other
    /// changes.
    func update(_ old: Download, to download: Download) throws {
        _ = takeLoaded(old.id)
        var changed = 0
        for (index, part) in DownloadPart.all.enumerated() where download.isChanged(part, since: old) {
            changed |= 1 << index
        }
        guard changed != 0 else { return }
        try updatePlace(old.request, to: download.request, of: download.id)
        try database.write(Self.update(changed)) { writer in
            var new = download
            for part in Self.parts(changed) { new.columns(of: part, &writer) }
            writer.add(download.id)
            writer.add(old.state)
            writer.add(old.epoch)
        }
        if old.request.session == download.request.session {
            try accountBytes(of: download.request.session, by: download.heldBytes - old.heldBytes)
        } else {
            try accountBytes(of: old.request.session, by: -old.heldBytes)
            try accountBytes(of: download.request.session, by: download.heldBytes)
        }
        try count(from: old, to: download)
        try countEnded(from: old, to: download)
        if old.request.labels != download.request.labels {
            try deleteLabels(of: old)
            try insertLabels(of: download)
        }
        rows.record(download)
        if download.revision != old.revision { changedDownloads.insert(download.id) }
    }

    /// Writes the columns that few edits change. The parts of a row leave them out because of their indexes. The
    /// session is written by ``enterSession(_:_:from:at:)``.
    private func updatePlace(_ old: DownloadRequest, to new: DownloadRequest, of id: DownloadID) throws {
        if old.callbackURL != new.callbackURL || old.joinedCallbackURLs != new.joinedCallbackURLs {
            try execute("UPDATE download SET callback_url = ? WHERE id = ?", [new.callbackURLs, id])
        }
        guard old.directory != new.directory || old.webhookIDs != new.webhookIDs else { return }
        try execute(
            "UPDATE download SET directory = ?, webhook_ids = ? WHERE id = ?",
            [new.directory, new.webhookIDs, id]
        )
    }

    /// - Parameter download: The value that was written last.
    func delete(_ download: Download) throws {
        changedDownloads.insert(download.id)
        rows.forget(download.id)
        _ = takeLoaded(download.id)
        try deleteLabels(of: download)
        try execute("DELETE FROM download WHERE id = ?", [download.id])
        try accountBytes(of: download.request.session, by: -download.heldBytes)
        try count(from: download, to: nil)
    }

    private func insertLabels(of download: Download) throws {
        for label in download.request.labels?.labels ?? [] {
            try execute(
                "INSERT INTO download_label (name, value, id, row) SELECT ?, ?, id, row FROM download WHERE id = ?",
                [label.name, label.value, download.id]
            )
        }
    }

    private func deleteLabels(of download: Download) throws {
        for label in download.request.labels?.labels ?? [] {
            try execute(
                "DELETE FROM download_label WHERE name = ? AND value = ? AND id = ?",
                [label.name, label.value, download.id]
            )
        }
    }

    private static let insertion = RowBatch.insertion(
        into: "download",
        Download.columnNames() + ["session_epoch"]
    )

    /// The updates that were used so far, with the bits of ``update(_:)``. All of them would take 1.2 MiB, and few are
    /// ever used.
    private static let updates = Mutex([Int: RowBatch]())

    /// - Parameter bits: The parts that the statement sets, in the order of ``DownloadPart/all``; at least one.
    private static func update(_ bits: Int) -> RowBatch {
        updates.withLock { updates in
            if let update = updates[bits] { return update }
            let names = Download.columnNames { blank, names in
                for part in parts(bits) { blank.columns(of: part, &names) }
            }
            let update = RowBatch.update(of: "download", names, key: ["id", "state", "epoch"])
            updates[bits] = update
            return update
        }
    }

    private static func parts(_ bits: Int) -> some Sequence<DownloadPart> {
        DownloadPart.all.enumerated().lazy.filter { bits & 1 << $0.offset != 0 }.map(\.element)
    }
}

extension Database {
    func download(_ id: DownloadID) throws -> Download? {
        try downloads(oneDownload, [id]).first
    }

    /// The rows of a SELECT of ``Download/columnList``.
    ///
    /// - Throws: ``StoreError/unreadableDownloads(_:)`` with all rows that cannot be read.
    func downloads(_ sql: String, _ values: [any ParameterValue] = []) throws -> [Download] {
        let (downloads, unreadable) = try sortedDownloads(sql, values)
        guard unreadable.isEmpty else { throw StoreError.unreadableDownloads(unreadable) }
        return downloads
    }

    /// The rows of downloads that can be read. Whoever needs another one reads it alone, and gets the error.
    func readableDownloads(_ ids: Set<DownloadID>) throws -> [Download] {
        try sortedDownloads(severalDownloads, [SQLValue.texts(ids.map(\.text))]).downloads
    }

    /// The readable rows, and those that are not.
    func sortedDownloads(
        _ sql: String,
        _ values: [any ParameterValue]
    ) throws -> (downloads: [Download], unreadable: [UnreadableDownload]) {
        var downloads: [Download] = []
        var unreadable: [UnreadableDownload] = []
        try rows(Statement(sql, values)) { row in
            do throws(StoreError) {
                downloads.append(try Download(&row))
            } catch {
                var row = row.restarted
                let id = (try? row.next(String.self)) ?? ""
                let reason = if case .unreadable(let text) = error { text } else { "\(error)" }
                unreadable.append(UnreadableDownload(id: id, reason: reason))
            }
            return true
        }
        return (downloads, unreadable)
    }
}

private let oneDownload = "SELECT \(Download.columnList) FROM download WHERE id = ?"
private let severalDownloads = "SELECT \(Download.columnList) FROM download WHERE id {in ?}"

extension Transaction {
    /// Writes an update with everything that depends on it: the records of its bytes, its session's account, and its
    /// event.
    ///
    /// - Returns: The download as written.
    func write(_ update: DownloadUpdate, over old: Download, at now: Timestamp) throws -> Download {
        try writeBytes(update, of: old, at: now)
        let transition = old.transition(to: update.download, at: now)
        let new = transition.download
        if case .moves(_, let session) = transition.session { try enterSession(session, new, from: old, at: now) }
        let stored = transition.stored
        try self.update(old, to: stored)
        let sequence = try update.event.map {
            try record($0, new, from: old.state, restart: update.restart, deferral: update.deferral, at: now)
        }
        try writeSession(transition, after: sequence, at: now)
        if transition.wakesScheduler { notices.insert(.downloads) }
        return stored
    }

    /// Writes what an update means for the records of bytes, and what it leaves to be removed.
    func writeBytes(_ update: DownloadUpdate, of old: Download, at now: Timestamp) throws {
        switch update.bytes {
        case .kept: break
        case .discarded:
            try forgetSegments(of: old)
            try forgetBlocks(of: old)
        case .complete:
            let size = old.progress.durableBytes
            try replaceSegments(of: old, with: [Segment(index: 0, start: 0, end: size, durableEnd: size)])
        case .published: try forgetBlocks(of: old)
        }
        for task in update.removals { try remove(task, at: now) }
    }

    /// - Parameter sequence: The number of the transition's event; nil if there is none.
    private func writeSession(
        _ transition: DownloadTransition,
        after sequence: Int64?,
        at now: Timestamp
    ) throws {
        let id = transition.download.id
        switch transition.session {
        case .none: break
        case .closes(let session):
            guard let sequence else { throw StoreError.refused("\(id) ended without an event") }
            try closeSession(session, after: sequence, at: now)
        case .opens(let session):
            guard let epoch = try openSession(session, isNew: false, at: now) else {
                throw StoreError.refused("session \(session) was not opened")
            }
            try execute("UPDATE download SET session_epoch = ? WHERE id = ?", [epoch, id])
        case .moves(let session?, _): try closeSession(session, after: sequence ?? newestSequence(), at: now)
        case .moves(nil, _): break
        }
    }
}
