import GRDB
import Model

extension Transaction {
    /// Writes a download's new state with all that hangs on it: times, the session's account and the event.
    ///
    /// - Parameter event: The event of this transition.
    /// - Returns: The download as written.
    func transition(
        _ old: Download,
        to changed: Download,
        event: EventType?,
        restart: Event.Restart? = nil,
        at now: Timestamp
    ) throws -> Download {
        var new = changed
        new.revision += 1
        new.times.updatedAt = now
        // What was merely interrupted has begun, and goes on.
        if old.state != .running { new.postpone(at: now) }
        new.times.finishedAt = new.state.isTerminal ? old.times.finishedAt ?? now : nil
        // What was merely interrupted keeps its place in the queue.
        if new.state == .queued && old.state != .queued && old.state != .running { new.times.queuedAt = now }
        if new.state != .waiting { new.times.nextAttemptAt = nil }
        new.countPause(since: old, at: now)
        new.leaveOutWait(since: old, at: now)
        new.keepWait(since: old, at: now)

        try update(old, to: new)
        let sequence = try event.map { try record($0, new, from: old.state, restart: restart, at: now) }
        try accountSession(from: old, to: new, after: sequence, at: now)
        // A slot that becomes free is its worker's to tell, once it has let go.
        if new.state == .queued { notices.insert(.downloads) }
        return new
    }

    /// - Parameter sequence: The number of the transition's event.
    private func accountSession(
        from old: Download,
        to new: Download,
        after sequence: Int64?,
        at now: Timestamp
    ) throws {
        guard let session = new.request.session, old.state.isTerminal != new.state.isTerminal else { return }
        if new.state.isTerminal {
            guard let sequence else { throw StoreError.refused("\(new.id) ended without an event") }
            try closeSession(session, after: sequence, at: now)
        } else {
            guard let epoch = try openSession(session, isNew: false, at: now) else {
                throw StoreError.refused("session \(session) was not opened")
            }
            try execute("UPDATE download SET session_epoch = ? WHERE id = ?", [epoch, new.id.text])
        }
    }
}

extension Download {
    /// Lets a queued download wait where its time has not come.
    mutating func postpone(at now: Timestamp) {
        guard state == .queued, let notBefore = request.notBefore, notBefore > now else { return }
        var machine = machine
        _ = machine.take(.postponed)
        adopt(machine)
        times.nextAttemptAt = notBefore
    }

    /// Leaves the time of a pause out of what the clock counts against a download.
    fileprivate mutating func countPause(since old: Download, at now: Timestamp) {
        if state == .paused && old.state != .paused { times.pausedAt = now }
        guard state != .paused, let pausedAt = old.times.pausedAt else { return }
        times.pausedAt = nil
        let pause = max(now - pausedAt, .zero)
        times.progressedAt = times.progressedAt + pause
        if request.deadline == .serviceDefault { times.deadlineAt = times.deadlineAt + pause }
    }

    /// Keeps the length of a wait that goes on where the clock was set back since the last transition.
    fileprivate mutating func keepWait(since old: Download, at now: Timestamp) {
        guard state == .waiting, old.state == .waiting, waitingFor == old.waitingFor, waitingFor != .schedule,
            now < old.times.updatedAt, let end = times.nextAttemptAt, end == old.times.nextAttemptAt
        else { return }
        times.nextAttemptAt = now + (end - old.times.updatedAt)
    }

    /// Leaves a wait that no origin is to blame for out of the time without progress. The deadline counts it.
    ///
    /// Each transition, an edit too, leaves out the time since the one before it.
    fileprivate mutating func leaveOutWait(since old: Download, at now: Timestamp) {
        switch old.waitingFor {
        case .space, .io, .credentials, .schedule, .resume:
            times.progressedAt = times.progressedAt + max(now - old.times.updatedAt, .zero)
        case .retry, .host, nil: break
        }
    }
}
