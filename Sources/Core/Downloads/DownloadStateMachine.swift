/// The state transitions of a download.
///
/// It performs no I/O and reads no clock. Each event is a method that changes ``state`` and returns what the caller
/// must do. An action that the state forbids throws ``InvalidTransition`` and changes nothing. A late report of a
/// fenced worker is ignored.
public struct DownloadStateMachine: Hashable, Sendable {
    public private(set) var state: DownloadState
    /// Not nil if and only if ``state`` is `running`.
    public private(set) var phase: DownloadPhase?
    /// Not nil if and only if ``state`` is `waiting`.
    public private(set) var waitingFor: WaitingFor?

    public init(state: DownloadState, phase: DownloadPhase? = nil, waitingFor: WaitingFor? = nil) {
        self.state = state
        self.phase = state == .running ? phase ?? .probing : nil
        self.waitingFor = state == .waiting ? waitingFor ?? .retry : nil
    }

    /// The result of an action.
    public enum Effect: Hashable, Sendable {
        /// The state changed. `stopsWorker` tells whether the caller must stop a worker.
        case changed(stopsWorker: Bool)
        /// The download already had the state: there is no event and no new revision.
        case unchanged
    }

    /// Applies a user's action.
    ///
    /// - Parameter forced: Whether a retry may begin a new run of a completed download.
    public mutating func apply(
        _ action: DownloadAction,
        forced: Bool = false
    ) throws(InvalidTransition) -> Effect {
        switch action {
        case .pause: try pause()
        case .resume: try resume()
        case .cancel: try cancel()
        case .retry: try retry(forced: forced)
        }
    }

    /// Pauses the download. Its bytes are kept.
    private mutating func pause() throws(InvalidTransition) -> Effect {
        switch state {
        case .queued, .waiting: return move(to: .paused)
        case .running where phase != .publishing: return move(to: .paused)
        case .paused: return .unchanged
        case .running, .completed, .failed, .cancelled: throw refusal(.pause)
        }
    }

    /// Ends a pause, or a wait before its time.
    private mutating func resume() throws(InvalidTransition) -> Effect {
        switch state {
        case .paused, .waiting: return move(to: .queued)
        case .queued, .running: return .unchanged
        case .completed, .failed, .cancelled: throw refusal(.resume)
        }
    }

    private mutating func cancel() throws(InvalidTransition) -> Effect {
        switch state {
        case .queued, .waiting, .paused: return move(to: .cancelled)
        case .running where phase != .publishing: return move(to: .cancelled)
        case .cancelled: return .unchanged
        case .running, .completed, .failed: throw refusal(.cancel)
        }
    }

    /// Begins a new run after a failed or cancelled one; if it is forced, also after a completed one.
    private mutating func retry(forced: Bool) throws(InvalidTransition) -> Effect {
        switch state {
        case .completed where forced: return move(to: .queued)
        case .failed, .cancelled: return move(to: .queued)
        case .queued, .running, .waiting, .paused, .completed: throw refusal(.retry)
        }
    }

    private mutating func move(to next: DownloadState, waitingFor reason: WaitingFor? = nil) -> Effect {
        let stopsWorker = state == .running
        self = Self(state: next, waitingFor: reason)
        return .changed(stopsWorker: stopsWorker)
    }

    private func refusal(_ action: DownloadAction) -> InvalidTransition {
        InvalidTransition(action: action, state: state, allowedActions: state.allowedActions(in: phase))
    }
}

extension DownloadStateMachine {
    /// Events from the scheduler, the worker and the clock.
    public enum Event: Hashable, Sendable {
        /// The scheduler claimed the download for a slot.
        case claimed
        /// The worker entered this phase.
        case entered(DownloadPhase)
        /// The file was published.
        case completed
        /// The run failed.
        case failed
        /// The attempt ended, and another one follows when the cause of the wait has ended.
        case deferred(WaitingFor)
        /// The worker was stopped, or ended with the process.
        case interrupted
        /// The cause of a wait has ended.
        case due
        /// `not_before_at` is in the future.
        case postponed
        /// The deadline has passed.
        case expired
    }

    /// Applies an event.
    ///
    /// - Returns: Whether it was applied. A late event, which does not fit the present state, is ignored.
    public mutating func handle(_ event: Event) -> Bool {
        switch (event, state) {
        case (.claimed, .queued):
            self = Self(state: .running, phase: .probing)
        case (.entered(let next), .running) where phase != .publishing:
            phase = next
        case (.completed, .running) where phase == .publishing:
            _ = move(to: .completed)
        case (.failed, .running):
            _ = move(to: .failed)
        case (.deferred(let reason), .running):
            _ = move(to: .waiting, waitingFor: reason)
        case (.interrupted, .running):
            _ = move(to: .queued)
        case (.due, .waiting):
            _ = move(to: .queued)
        case (.postponed, .queued):
            _ = move(to: .waiting, waitingFor: .schedule)
        case (.expired, .queued), (.expired, .waiting):
            _ = move(to: .failed)
        case (.expired, .running) where phase != .publishing:
            _ = move(to: .failed)
        case (.claimed, _), (.entered, _), (.completed, _), (.failed, _), (.deferred, _), (.interrupted, _), (.due, _),
            (.postponed, _), (.expired, _):
            return false
        }
        return true
    }
}

/// An action that the state of the download does not allow.
public struct InvalidTransition: Error, Hashable, Sendable {
    public let action: DownloadAction
    public let state: DownloadState
    public let allowedActions: [DownloadAction]

    public init(action: DownloadAction, state: DownloadState, allowedActions: [DownloadAction]) {
        self.action = action
        self.state = state
        self.allowedActions = allowedActions
    }
}
