extension Download {
    /// The effect of an edit.
    ///
    /// - Parameters:
    ///   - hasAction: Whether an action follows, which then decides whether the download continues.
    ///   - interrupts: Whether a running download goes back to the queue: its worker has the old values.
    ///   - timeLimit: The time limit of a run if the client has set no deadline.
    /// - Returns: nil if nothing changes.
    public func update(
        by edit: DownloadEdit,
        hasAction: Bool = false,
        interrupts: Bool = false,
        timeLimit: Duration
    ) -> DownloadUpdate? {
        guard !edit.isEmpty else { return nil }
        var new = self
        edit.apply(to: &new.request)
        if new.hasNewURL(since: self) { new.attempts.urlRefreshes = 0 }
        // The new URL may be that of a web page.
        if new.request.url != request.url { new.source.previousFile = nil }
        new.setDeadline(timeLimit: timeLimit)
        guard new != self else { return nil }
        if interrupts { return new.update(after: .interrupted) ?? DownloadUpdate(new) }
        guard !hasAction, new.resolvesWait(since: self) else { return DownloadUpdate(new) }
        let event: EventType? = waitingFor == .credentials ? .downloadResumed : nil
        return new.update(after: .due, event: event) ?? DownloadUpdate(new)
    }

    /// Sets the deadline after an edit. The client's replaces the stored one; the service's moves only if
    /// `not_before_at` requires it.
    private mutating func setDeadline(timeLimit: Duration) {
        switch request.deadline {
        case .at(let deadline): times.deadlineAt = deadline
        case .serviceDefault:
            if let notBefore = request.notBefore { times.deadlineAt = max(times.deadlineAt, notBefore + timeLimit) }
        }
    }

    /// Whether an edit has changed the URL or set another `refresh_url`.
    private func hasNewURL(since old: Download) -> Bool {
        request.url != old.request.url || request.refreshURL != nil && request.refreshURL != old.request.refreshURL
    }

    /// Whether an edit has provided what the download waits for.
    private func resolvesWait(since old: Download) -> Bool {
        switch old.waitingFor {
        case .credentials: hasNewURL(since: old) || request.credentials != old.request.credentials
        case .schedule: request.notBefore != old.request.notBefore
        case .retry, .space, .io, .host, .resume, nil: false
        }
    }
}

extension DownloadEdit {
    /// The API names of the members of this edit that are locked. If a run keeps the file of an earlier one, the place
    /// of the file is locked too.
    ///
    /// - Parameter isForced: Whether the run is that of a completed download.
    public func lockedMembers(of download: Download, isForced: Bool) -> [String] {
        let locked = lockedMembers(of: download, in: isForced ? .failed : nil)
        // The new file takes the place of the one that is kept.
        guard isForced || download.keptFile != nil else { return locked }
        return placeMembers + locked.filter { !placeMembers.contains($0) }
    }

    /// Whether it interrupts a running download: its worker keeps these members until its end. All other members are
    /// read again before the next attempt, or can be changed while it runs.
    public func changesAssignment(of request: DownloadRequest) -> Bool {
        session.map { $0.value != request.session } ?? false
            || directory.map { $0.value != request.directory } ?? false
            || filename.map { $0.value != request.filename } ?? false
            || expected.map { $0 != request.expected } ?? false
            || self[\.maxBytes].map { $0 != request.maxBytes } ?? false
    }
}
