public import Core
import GRDB

/// A client's command on an existing download: an edit, an action, or both. The edit is applied first.
public struct Command: Sendable {
    /// Creates the edit from the download in the transaction. It may be called more than once.
    public typealias Edit = @Sendable (Download) throws -> DownloadEdit

    public var action: DownloadAction?
    public var edit: Edit
    /// For `cancel`: keeps the bytes for a later retry.
    public var keepsPartial: Bool
    /// The expected revision. The command is refused if state or configuration changed since the client read them.
    public var expectedRevision: Int64?
    /// The time limit of a new run if the client has set no deadline.
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
    /// Whether it ends work. Such a command must be recorded even if the disk is full.
    fileprivate var freesSpace: Bool { action == .pause || action == .cancel }
}

/// The result of a command.
public enum CommandOutcome: Sendable {
    /// The download after the command.
    /// - `stoppedEpoch`: the claim of a worker that must stop.
    /// - `discardedGeneration`: the part file to remove.
    case done(Download, stoppedEpoch: Int64?, discardedGeneration: Int?)
    case notFound
    case invalidTransition(InvalidTransition)
    /// The state allows the retry, but another download now has its dedupe key.
    case dedupeKeyTaken(by: DownloadID, DownloadState)
    case revisionMismatch(Download)
    /// The edited members cannot be changed in this state.
    case locked([String], Download)
    case replayed(StoredResponse)
    case keyReused
}

extension Store {
    /// Executes a command in one transaction: creates the edit from the current download, and writes it. The first
    /// commit wins: later reports of a stopped worker are rejected by its stale claim.
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
        // Only failed and cancelled downloads may share a key with another download.
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
            // The refresh server may work again, and so may this service, so both counts start again.
            new.attempts.urlRefreshes = 0
            new.attempts.forgetCrashes()
            // A resume before `not_before_at` clears it.
            if old.waitingFor == .schedule { new.request.notBefore = nil }
        case .cancel:
            event = .downloadCancelled
            // The new epoch makes the worker's claim stale, so that it writes no more rows.
            new.epoch += 1
            if !command.keepsPartial { discarded = try discardBytes(of: &new) }
        case .retry:
            event = .downloadResumed
            new.beginRun(now: now, timeLimit: command.timeLimit)
        }
        return (try transition(old, to: new, event: event, at: now), discarded)
    }

    /// Discards all bytes of a download, its file name, and the origin's metadata. The validator of the former file is
    /// kept. The next attempt writes a part file with a new name.
    func discardBytes(of download: inout Download) throws -> Int {
        try forgetSegments(of: download)
        try forgetBlocks(of: download)
        defer { download.generation += 1 }
        download.forgetBytes()
        return download.generation
    }
}

extension Download {
    /// Starts a new run with reset counters. The bytes are kept.
    fileprivate mutating func beginRun(now: Timestamp, timeLimit: Duration) {
        run += 1
        attempts = Attempts()
        error = nil
        // With bytes, the complete file may already be published. Without bytes there is no file.
        if progress.durableBytes == 0 { file = nil }
        times.startedAt = nil
        times.progressedAt = now
        // A client's deadline that has passed would end the new run at once.
        if case .at(let deadline) = request.deadline, deadline > now { return }
        request.deadline = .serviceDefault
        times.deadlineAt = max(now, request.notBefore ?? now) + timeLimit
    }

    /// Sets the deadline after an edit: the client's, or the service's, which counts from the creation of the download.
    fileprivate mutating func setDeadline(timeLimit: Duration) {
        switch request.deadline {
        case .at(let deadline): times.deadlineAt = deadline
        case .serviceDefault:
            if let notBefore = request.notBefore { times.deadlineAt = max(times.deadlineAt, notBefore + timeLimit) }
        }
    }

    /// Whether an edit has changed the URL. The new URL may be that of a web page.
    fileprivate func hasOtherURL(since old: Download) -> Bool { request.url != old.request.url }

    /// Whether an edit has changed the URL or set another `refresh_url`.
    fileprivate func hasNewURL(since old: Download) -> Bool {
        request.url != old.request.url || request.refreshURL != nil && request.refreshURL != old.request.refreshURL
    }

    /// Whether an edit has provided what the download waits for.
    fileprivate func resolvesWait(since old: Download) -> Bool {
        switch old.waitingFor {
        case .credentials:
            hasNewURL(since: old) || request.credentials != old.request.credentials
        case .schedule: request.notBefore != old.request.notBefore
        case .retry, .space, .io, .host, .resume, nil: false
        }
    }
}
