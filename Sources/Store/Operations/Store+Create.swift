import GRDB
public import Model

/// A download to be made.
public struct NewDownload: Sendable {
    public var id: DownloadID
    public var request: DownloadRequest
    /// False lets it begin paused.
    public var starts: Bool
    public var deadlineAt: Timestamp

    public init(id: DownloadID, request: DownloadRequest, starts: Bool, deadlineAt: Timestamp) {
        self.id = id
        self.request = request
        self.starts = starts
        self.deadlineAt = deadlineAt
    }
}

/// What became of a request to make a download.
public enum Creation: Sendable {
    case created(Download)
    /// The download that has the dedupe key already.
    case existing(Download)
    /// The same request came before; this is what it was answered.
    case replayed(StoredAnswer)
    /// The idempotency key came before, with another request.
    case keyReused
    /// The queue holds as many downloads as the limit allows.
    case queueFull
    /// The session has no room for a file of the size that is expected.
    case quotaExceeded
}

extension Store {
    /// Makes a download. What is answered here survives the loss of power.
    ///
    /// - Parameter queueLimit: How many downloads may be queued before new ones are refused; nil for no limit.
    public func create(
        _ new: NewDownload,
        replay: Replay? = nil,
        queueLimit: Int? = nil,
        now: Timestamp
    ) async throws -> Creation {
        try await writer.write { transaction in
            if let replay, let earlier = try transaction.answer(to: replay.request) { return earlier }
            if let key = new.request.dedupeKey, let existing = try transaction.download(dedupeKey: key) {
                if let replay { try transaction.keep(replay.answer(existing, false), to: replay.request, now: now) }
                return .existing(existing)
            }
            if let queueLimit, try transaction.isQueueFull(queueLimit) { return .queueFull }
            let size = new.request.expected.sizeBytes ?? 0
            guard try transaction.database.hasRoom(new.request.session, for: size) else { return .quotaExceeded }
            let download = try transaction.create(new, now: now)
            if let replay { try transaction.keep(replay.answer(download, true), to: replay.request, now: now) }
            return .created(download)
        }
    }
}

extension Transaction {
    fileprivate func create(_ new: NewDownload, now: Timestamp) throws -> Download {
        var download = Download(
            id: new.id,
            request: new.request,
            state: new.starts ? .queued : .paused,
            times: Download.Times(createdAt: now, deadlineAt: new.deadlineAt)
        )
        if !new.starts { download.times.pausedAt = now }
        download.postpone(at: now)
        let sessionEpoch = try new.request.session.map { try openSession($0, at: now) }
        try insert(download, sessionEpoch: sessionEpoch)
        try record(.downloadCreated, download, from: nil, at: now)
        if download.state == .queued { notices.insert(.downloads) }
        return download
    }

    /// The download that has the key now: one that failed or was cancelled has given it up.
    func download(dedupeKey: String) throws -> Download? {
        try database.downloads(
            """
            SELECT \(DownloadColumns.list) FROM download
            WHERE dedupe_key = ? AND state NOT IN ('failed', 'cancelled')
            """,
            [dedupeKey]
        ).first
    }

    /// Counts as far as the limit, no further.
    fileprivate func isQueueFull(_ limit: Int) throws -> Bool {
        let statement = try database.cachedStatement(
            sql:
                "SELECT count(*) FROM (SELECT 1 FROM download INDEXED BY download_queue WHERE state = 'queued' LIMIT ?)"
        )
        return try Int.fetchOne(statement, arguments: [limit]) ?? 0 >= limit
    }
}
