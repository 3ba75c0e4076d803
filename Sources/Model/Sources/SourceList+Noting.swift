/// What was seen of a source.
extension SourceList {
    /// Notes that a connection is about to ask it.
    public mutating func noteOpened(_ id: SourceID) { entries[id.index].connections += 1 }

    public mutating func noteClosed(_ id: SourceID) {
        entries[id.index].connections = max(entries[id.index].connections - 1, 0)
    }

    /// Notes that its answer agreed, and bytes came of it.
    public mutating func noteUsed(_ id: SourceID) {
        entries[id.index].standing = .used
        entries[id.index].failures = 0
        entries[id.index].retryAt = .zero
    }

    /// - Parameter rate: Bytes per second of one connection.
    public mutating func noteRate(_ rate: Double, of id: SourceID) { entries[id.index].rate = rate }

    /// Notes that a connection to it ended, or did not come about, and not a byte had come.
    public mutating func noteFailure(_ id: SourceID, at now: Duration) {
        let failures = entries[id.index].failures + 1
        entries[id.index].failures = failures
        entries[id.index].retryAt = now + Self.firstPause * (1 << min(failures - 1, 8))
        if failures >= Self.failureLimit { leave(id, .failed) }
    }

    /// Notes that it refuses one connection more, or leaves it where it has none.
    ///
    /// - Parameter others: Its connections that go on.
    public mutating func noteRefusal(_ id: SourceID, _ decision: GateDecision, others: Int, at now: Duration) {
        guard others == 0 else {
            entries[id.index].limit = others
            return
        }
        switch decision {
        case .restart: leave(id, .differs)
        case .collapseToSingleStream, .askPlain: leave(id, .noRanges)
        case .fail, .waitForCredentials: leave(id, .failed)
        case .retry, .retrySuspect, .accept, .askOtherwise, .alreadyComplete, .followRedirect, .awaitFinalResponse:
            noteFailure(id, at: now)
        }
    }

    /// Leaves a source. The last one is not left for being slow, nor for failures while others of its connections go
    /// on: it bears those.
    public mutating func leave(_ id: SourceID, _ reason: SourceStanding.Reason) {
        if isAlone(id) {
            guard reason != .slow, reason != .failed || self[id].connections <= 1 else { return }
        }
        entries[id.index].standing = .left(reason)
    }

    /// Forgets what was said of the sources' files: the download begins anew, and another may be the file now. Those
    /// that brought nothing, or little, stay left.
    public mutating func beginAnew() {
        for index in entries.indices {
            entries[index].limit = nil
            switch entries[index].standing {
            case .used, .left(.differs): entries[index].standing = .unused
            case .unused, .left(.failed), .left(.slow), .left(.noRanges): break
            }
        }
    }
}
