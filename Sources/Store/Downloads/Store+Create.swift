public import Core

extension CreationOutcome {
    /// The results, if a download was created or found.
    fileprivate var kept: [Creation]? {
        guard case .made(let creations) = self, creations.contains(where: { $0.download != nil }) else { return nil }
        return creations
    }
}

extension Store {
    /// Creates downloads in one transaction. The result is durable when the call returns.
    ///
    /// Each download is checked against those before it: two with one dedupe key result in one download. The response
    /// is stored for a repeated request if at least one download was created or found.
    ///
    /// - Parameters:
    ///   - atomically: Creates none if one is refused.
    ///   - seals: Seals the named sessions after adding these downloads. A sealed session accepts no more.
    ///   - queueLimit: The maximum number of queued downloads, above which new ones are refused; nil for no limit.
    public func create(
        _ new: [NewDownload],
        atomically: Bool,
        seals: Bool = false,
        replay: IdempotentOperation<[Creation]>? = nil,
        queueLimit: Int? = nil,
        now: Timestamp
    ) async throws -> IdempotentResult<CreationOutcome> {
        do {
            return try await writer.write { transaction in
                try transaction.once(replay, now: now) {
                    let made = try transaction.create(new, atomically: atomically, queueLimit: queueLimit, now: now)
                    if seals {
                        for session in Set(new.compactMap(\.request.session)) { try transaction.seal(session, at: now) }
                    }
                    return .made(made)
                } keeping: {
                    $0.kept
                }
            }
        } catch let refused as Refused {
            return .done(.refused(refused.refusal, at: refused.index))
        }
    }
}

/// Thrown to roll back the downloads before the refused one.
private struct Refused: Error {
    let refusal: CreationRefusal
    let index: Int
}

extension Transaction {
    fileprivate func create(
        _ new: [NewDownload],
        atomically: Bool,
        queueLimit: Int?,
        now: Timestamp
    ) throws -> [Creation] {
        var creations: [Creation] = []
        creations.reserveCapacity(new.count)
        for (index, download) in new.enumerated() {
            let creation = try create(download, queueLimit: queueLimit, now: now)
            if atomically, case .refused(let refusal) = creation { throw Refused(refusal: refusal, index: index) }
            creations.append(creation)
        }
        return creations
    }

    private func create(_ new: NewDownload, queueLimit: Int?, now: Timestamp) throws -> Creation {
        if let key = new.request.dedupeKey, let existing = try download(dedupeKey: key) {
            return try join(existing, new.request, now: now)
        }
        if let queueLimit {
            guard try queuedCount() < queueLimit else { return .refused(.queueFull) }
        }
        let size = new.request.expected.sizeBytes ?? 0
        guard try hasRoom(new.request.session, for: size) else { return .refused(.quotaExceeded) }
        if let index = try unknown(new.request.webhookIDs) { return .refused(.unknownWebhook(at: index)) }
        guard let download = try create(new, now: now) else { return .refused(.sessionSealed) }
        return .created(download)
    }

    /// Adds the callback URLs and webhooks of a request that joins an existing download.
    private func join(_ existing: Download, _ request: DownloadRequest, now: Timestamp) throws -> Creation {
        if let conflict = DedupeConflict(request, joining: existing) { return .refused(.dedupeConflict(conflict)) }
        if let index = try unknown(request.webhookIDs) { return .refused(.unknownWebhook(at: index)) }
        var joined = existing
        joined.request.join(request)
        // An ended download sends no more events. The response shows its end.
        guard joined != existing, !existing.state.isTerminal else { return .existing(existing) }
        guard joined.request.joinedCallbackURLs.count <= DownloadRequest.maximumJoined else {
            return .refused(.tooManyCallbacks)
        }
        for url in request.callbackURLs { try enableCallback(url, at: now) }
        return .existing(try write(DownloadUpdate(joined), over: existing, at: now))
    }

    /// - Returns: nil if the session is sealed. Then nothing was written.
    private func create(_ new: NewDownload, now: Timestamp) throws -> Download? {
        var download = Download(
            id: new.id,
            request: new.request,
            state: new.starts ? .queued : .paused,
            times: Download.Times(createdAt: now, deadlineAt: new.deadlineAt)
        )
        if !new.starts { download.times.pausedAt = now }
        download.postpone(at: now)
        var sessionEpoch: Int64?
        if let session = new.request.session {
            sessionEpoch = try openSession(session, isNew: true, at: now)
            if sessionEpoch == nil { return nil }
            if download.request.retention == nil {
                download.request.retention = try self.session(session)?.settings.retention
            }
        }
        try insert(download, sessionEpoch: sessionEpoch)
        if let url = download.request.callbackURL { try enableCallback(url, at: now) }
        try record(.downloadCreated, download, from: nil, at: now)
        if download.state == .queued { notices.insert(.downloads) }
        return download
    }

    /// The download that holds the key. A failed or cancelled download has released it.
    func download(dedupeKey: String) throws -> Download? {
        try database.downloads(
            """
            SELECT \(Download.columnList) FROM download
            WHERE dedupe_key = ? AND state NOT IN ('failed', 'cancelled')
            """,
            [dedupeKey]
        ).first
    }
}
