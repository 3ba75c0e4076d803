/// A change of a download as it is stored, and what must be written with it.
public struct DownloadTransition: Hashable, Sendable {
    /// What the change means for the sessions of the download.
    public enum SessionEffect: Hashable, Sendable {
        case none
        /// The download has ended, in its session.
        case closes(SessionName)
        /// An ended download of a session is open again.
        case opens(SessionName)
        /// The download is in another session, or in none.
        case moves(from: SessionName?, to: SessionName?)
    }

    public let download: Download
    /// The download as it is stored. A completed one has no secrets of callback URLs: only its last event needs them.
    public var stored: Download {
        guard download.state == .completed, download.request.callbackURLs.contains(where: \.isSealed) else {
            return download
        }
        var stored = download
        stored.request.forgetCallbackSecrets()
        return stored
    }
    public let session: SessionEffect
    /// Whether a download may be claimed that could not be claimed before. A freed slot is not told: the worker wakes
    /// the scheduler when it ends.
    public let wakesScheduler: Bool
}

extension DownloadRequest {
    fileprivate mutating func forgetCallbackSecrets() {
        callbackURL = callbackURL.map(\.withoutSecret)
        joinedCallbackURLs = joinedCallbackURLs.map(\.withoutSecret)
    }
}

extension Download {
    /// The transition to a changed download: its times and counters follow from the two states.
    public func transition(to changed: Download, at now: Timestamp) -> DownloadTransition {
        var new = changed
        new.revision += 1
        new.times.updatedAt = now
        // An interrupted download has already started, so `not_before_at` does not apply.
        if state != .running { new.postpone(at: now) }
        new.times.finishedAt = new.state.isTerminal ? times.finishedAt ?? now : nil
        if new.state == .queued && !keepsPosition { new.times.queuedAt = now }
        if new.state != .waiting { new.times.nextAttemptAt = nil }
        new.countPause(since: self, at: now)
        new.excludeWait(since: self, at: now)
        new.keepWaitLength(since: self, at: now)
        return DownloadTransition(
            download: new,
            session: sessionEffect(of: new),
            wakesScheduler: new.state == .queued
        )
    }

    private func sessionEffect(of new: Download) -> DownloadTransition.SessionEffect {
        guard request.session == new.request.session else {
            return .moves(from: request.session, to: new.request.session)
        }
        guard let session = new.request.session, state.isTerminal != new.state.isTerminal else { return .none }
        return new.state.isTerminal ? .closes(session) : .opens(session)
    }

    /// Moves a queued download to `waiting` until its `not_before_at`.
    public mutating func postpone(at now: Timestamp) {
        guard state == .queued, let notBefore = request.notBefore, notBefore > now else { return }
        var machine = machine
        _ = machine.handle(.postponed)
        adopt(machine)
        times.nextAttemptAt = notBefore
    }

    /// Whether it keeps its position when it is queued: an interrupted download does. So does one of unknown length
    /// that waits for space. Otherwise the one that was tried last, and has the most bytes, would be the youngest.
    private var keepsPosition: Bool {
        state == .queued || state == .running || (waitingFor == .space && progress.totalBytes == nil)
    }

    /// Excludes the time of a pause from the download's time limits.
    private mutating func countPause(since old: Download, at now: Timestamp) {
        if state == .paused && old.state != .paused { times.pausedAt = now }
        guard state != .paused, let pausedAt = old.times.pausedAt else { return }
        times.pausedAt = nil
        let pause = max(now - pausedAt, .zero)
        times.progressedAt = times.progressedAt + pause
        if request.deadline == .serviceDefault { times.deadlineAt = times.deadlineAt + pause }
    }

    /// Preserves the length of a wait if the clock was set back since the last transition.
    private mutating func keepWaitLength(since old: Download, at now: Timestamp) {
        guard state == .waiting, old.state == .waiting, waitingFor == old.waitingFor, waitingFor != .schedule,
            now < old.times.updatedAt, let end = times.nextAttemptAt, end == old.times.nextAttemptAt
        else { return }
        times.nextAttemptAt = now + (end - old.times.updatedAt)
    }

    /// A wait that the origin did not cause counts towards the deadline, but not towards the time without progress.
    ///
    /// Each write, also an edit, excludes the time since the previous one. Of a wait for a retry it excludes the time
    /// after its end, in which no process ran.
    mutating func excludeWait(since old: Download, at now: Timestamp) {
        let begin =
            old.waitsForOrigin ? old.times.nextAttemptAt.map { max($0, old.times.updatedAt) } : old.times.updatedAt
        guard let begin else { return }
        times.progressedAt = times.progressedAt + max(now - begin, .zero)
    }

    /// Whether it runs or is retried. In the queue it waits for a slot or for free space, but after a failed attempt it
    /// may also be there because its host blocks it.
    private var waitsForOrigin: Bool {
        switch waitingFor {
        case .space, .io, .credentials, .schedule, .resume: false
        case .retry, .host: true
        case nil: state != .queued || attempts.withoutProgress > 0
        }
    }
}
