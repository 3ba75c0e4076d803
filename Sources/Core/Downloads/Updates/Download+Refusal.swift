/// What a client's command does to a download, as far as the download itself decides. Other rows may still refuse it.
public struct DecidedCommand: Hashable, Sendable {
    /// The state machine after the action.
    public let machine: DownloadStateMachine
    /// Whether the action changes the state. If not, only the edit has an effect.
    public let changesState: Bool
    /// Whether the edit makes a running download go back to the queue, because its worker has the old values.
    public let interrupts: Bool
    /// Whether a worker must stop.
    public let stopsWorker: Bool
}

extension Download {
    /// Decides about an edit, which is applied first, and an action.
    ///
    /// - Parameters:
    ///   - forces: For `retry`: begins a new run of a completed download.
    ///   - expectedRevision: The revision that the client has read; nil for any.
    /// - Throws: The refusal.
    public func decide(
        _ action: DownloadAction?,
        _ edit: DownloadEdit,
        forces: Bool,
        expectedRevision: Int64?
    ) throws(DownloadRefusal) -> DecidedCommand {
        try requireRevision(expectedRevision)
        let isForced = action == .retry && forces && state == .completed
        let locked = edit.lockedMembers(of: self, isForced: isForced)
        guard locked.isEmpty else { throw .locked(locked, self) }
        var machine = machine
        var effect = DownloadStateMachine.Effect.unchanged
        do throws(InvalidTransition) {
            if let action { effect = try machine.apply(action, forced: forces) }
        } catch {
            throw .invalidTransition(error)
        }
        let interrupts = effect == .unchanged && state == .running && edit.changesAssignment(of: request)
        if interrupts && phase == .publishing { throw .busy }
        if isForced { try requireRepeatable(with: edit) }
        return DecidedCommand(
            machine: machine,
            changesState: effect != .unchanged,
            interrupts: interrupts,
            stopsWorker: interrupts || effect == .changed(stopsWorker: true)
        )
    }

    /// Decides about the deletion of the record.
    ///
    /// - Parameter force: Whether it is also deleted if it has not ended.
    /// - Throws: The refusal.
    public func requireDeletable(force: Bool, expectedRevision: Int64?) throws(DownloadRefusal) {
        try requireRevision(expectedRevision)
        guard state.isTerminal || force else { throw .notTerminal(self) }
        guard phase != .publishing else { throw .busy }
    }

    /// Decides about a move of the finished file, with an edit of other members.
    ///
    /// - Throws: The refusal.
    public func requireMovable(with edit: DownloadEdit, expectedRevision: Int64?) throws(DownloadRefusal) {
        try requireRevision(expectedRevision)
        let locked = edit.lockedMembers(of: self).filter { !edit.placeMembers.contains($0) }
        guard locked.isEmpty else { throw .locked(locked, self) }
    }

    private func requireRevision(_ expected: Int64?) throws(DownloadRefusal) {
        if let expected, expected != revision { throw .revisionMismatch(self) }
    }

    /// Whether a completed download can be fetched again.
    private func requireRepeatable(with edit: DownloadEdit) throws(DownloadRefusal) {
        if file?.movingTo != nil || file?.isExpiring == true { throw .busy }
        var next = self
        edit.apply(to: &next.request)
        let needed = next.dropForgottenSecrets()
        guard needed.isEmpty else { throw .secretsForgotten(needed) }
    }
}
