public import Core
import GRDB

/// What a client asks of a download that is there: an edit, an action, or both, the edit first.
public struct Command: Sendable {
    /// Makes the edit of the download as the transaction finds it. It may be called more than once.
    public typealias Edit = @Sendable (Download) throws -> DownloadEdit

    public var action: DownloadAction?
    public var edit: Edit
    /// For `cancel`: leaves the bytes for a later retry.
    public var keepsPartial: Bool
    /// Refuses where state or configuration changed since the client looked.
    public var expectedRevision: Int64?
    /// The time that a new run gets to be done, where the client chose none.
    public var timeLimit: Duration

    public init(
        action: DownloadAction? = nil,
        edit: @escaping Edit = { _ in DownloadEdit() },
        keepsPartial: Bool = false,
        expectedRevision: Int64? = nil,
        timeLimit: Duration
    ) {
        self.action = action
        self.edit = edit
        self.keepsPartial = keepsPartial
        self.expectedRevision = expectedRevision
        self.timeLimit = timeLimit
    }
}

extension Command {
    /// Whether it ends work, so that it must be recorded even on a full disk.
    fileprivate var freesSpace: Bool { action == .pause || action == .cancel }
}

/// The result of a command.
public enum CommandOutcome: Sendable {
    /// The download as it now is.
    /// - `stoppedEpoch`: the claim of a worker that must stop.
    /// - `discardedGeneration`: the part file to remove.
    case done(Download, stoppedEpoch: Int64?, discardedGeneration: Int?)
    case notFound
    case invalidTransition(InvalidTransition)
    /// The state allows the retry, but another download has its dedupe key by now.
    case dedupeKeyTaken(by: DownloadID, DownloadState)
    case revisionMismatch(Download)
    /// Members that cannot be changed in this state.
    case locked([String], Download)
    case replayed(StoredResponse)
    case keyReused
}

extension Store {
    /// Carries out a command in one step: its edit is made of the download, and written, in one transaction. First
    /// commit wins: what a worker reports later is fenced off.
    public func command(
        _ id: DownloadID,
        _ command: Command,
        replay: IdempotentOperation<Download>? = nil,
        now: Timestamp
    ) async throws -> CommandOutcome {
        try await writer.write(isVital: command.freesSpace) { transaction in
            if let replay {
                switch try transaction.earlier(replay.request) {
                case .same(let response): return .replayed(response)
                case .other: return .keyReused
                case .none: break
                }
            }
            let outcome = try transaction.carryOut(command, on: id, now: now)
            if let replay, case .done(let download, _, _) = outcome {
                try transaction.storeResponse(replay.response(download), to: replay.request, now: now)
            }
            return outcome
        }
    }
}

extension Transaction {
    fileprivate func carryOut(_ command: Command, on id: DownloadID, now: Timestamp) throws -> CommandOutcome {
        guard let old = try download(id) else { return .notFound }
        return try carryOut(command, on: old, now: now)
    }

    func carryOut(_ command: Command, on old: Download, now: Timestamp) throws -> CommandOutcome {
        let edit = try command.edit(old)
        if let expected = command.expectedRevision, expected != old.revision { return .revisionMismatch(old) }
        let locked = edit.lockedMembers(in: old.state)
        guard locked.isEmpty else { return .locked(locked, old) }

        var machine = old.machine
        var effect = DownloadStateMachine.Effect.unchanged
        if let action = command.action {
            do {
                effect = try machine.apply(action)
            } catch {
                return .invalidTransition(error)
            }
        }
        // Two live downloads never share a key.
        if command.action == .retry, let key = old.request.dedupeKey, let holder = try download(dedupeKey: key) {
            return .dedupeKeyTaken(by: holder.id, old.state)
        }
        let current = try apply(edit, of: command, to: old, now: now)
        guard let action = command.action, case .changed(let stopsWorker) = effect else {
            return .done(current, stoppedEpoch: nil, discardedGeneration: nil)
        }
        let (new, discarded) = try move(current, by: action, to: machine, command, now: now)
        return .done(new, stoppedEpoch: stopsWorker ? old.epoch : nil, discardedGeneration: discarded)
    }

    private func apply(
        _ edit: DownloadEdit,
        of command: Command,
        to old: Download,
        now: Timestamp
    ) throws -> Download {
        guard !edit.isEmpty else { return old }
        var new = old
        edit.apply(to: &new.request)
        if new.hasNewURL(since: old) { new.attempts.urlRefreshes = 0 }
        if new.hasOtherURL(since: old) { new.source.previousFile = nil }
        new.setDeadline(timeLimit: command.timeLimit)
        guard new != old else { return old }
        // If the request has an action, the action decides whether the download continues.
        let isDue = command.action == nil && new.resolvesWait(since: old)
        if isDue {
            var machine = old.machine
            _ = machine.handle(.due)
            new.adopt(machine)
        }
        let event: EventType? = isDue && old.waitingFor == .credentials ? .downloadResumed : nil
        return try transition(old, to: new, event: event, at: now)
    }

    private func move(
        _ old: Download,
        by action: DownloadAction,
        to machine: DownloadStateMachine,
        _ command: Command,
        now: Timestamp
    ) throws -> (Download, discardedGeneration: Int?) {
        var new = old
        new.adopt(machine)
        var discarded: Int?
        let event: EventType
        switch action {
        case .pause: event = .downloadPaused
        case .resume:
            event = .downloadResumed
            // The server of links may work again by now, and so may the service.
            new.attempts.urlRefreshes = 0
            new.attempts.forgetCrashes()
            // A resume before `not_before_at` clears it.
            if old.waitingFor == .schedule { new.request.notBefore = nil }
        case .cancel:
            event = .downloadCancelled
            // A new epoch locks the worker out, so that it writes no further row.
            new.epoch += 1
            if !command.keepsPartial { discarded = try discardBytes(of: &new) }
        case .retry:
            event = .downloadResumed
            new.beginRun(now: now, timeLimit: command.timeLimit)
        }
        return (try transition(old, to: new, event: event, at: now), discarded)
    }

    /// Drops every byte of a download and the origin's description of them, with its file name. The former file's
    /// validator stays. The next attempt writes a part file of a new name.
    func discardBytes(of download: inout Download) throws -> Int {
        try forgetSegments(of: download)
        try forgetBlocks(of: download)
        defer { download.generation += 1 }
        download.forgetBytes()
        return download.generation
    }
}

extension Download {
    /// Begins a new run with fresh counts. The bytes stay.
    fileprivate mutating func beginRun(now: Timestamp, timeLimit: Duration) {
        run += 1
        attempts = Attempts()
        error = nil
        // The whole file may be in its place already; without bytes there is none.
        if progress.durableBytes == 0 { file = nil }
        times.startedAt = nil
        times.progressedAt = now
        // An instant that the client chose for the old run and that has passed would end the new one at once.
        if case .at(let deadline) = request.deadline, deadline > now { return }
        request.deadline = .serviceDefault
        times.deadlineAt = max(now, request.notBefore ?? now) + timeLimit
    }

    /// After an edit: the deadline that the client chose, or that of the service, which counts from the time of the
    /// download.
    fileprivate mutating func setDeadline(timeLimit: Duration) {
        switch request.deadline {
        case .at(let deadline): times.deadlineAt = deadline
        case .serviceDefault:
            if let notBefore = request.notBefore { times.deadlineAt = max(times.deadlineAt, notBefore + timeLimit) }
        }
    }

    /// Whether an edit has set another URL, which may be that of a web page.
    fileprivate func hasOtherURL(since old: Download) -> Bool { request.url != old.request.url }

    /// Whether an edit has set another URL or another `refresh_url`.
    fileprivate func hasNewURL(since old: Download) -> Bool {
        request.url != old.request.url || request.refreshURL != nil && request.refreshURL != old.request.refreshURL
    }

    /// Whether an edit has set what the download waited for.
    fileprivate func resolvesWait(since old: Download) -> Bool {
        switch old.waitingFor {
        case .credentials:
            hasNewURL(since: old) || request.credentials != old.request.credentials
        case .schedule: request.notBefore != old.request.notBefore
        case .retry, .space, .io, .host, .resume, nil: false
        }
    }
}
