/// A change of a download that a rule has decided, and what must be written with it.
public struct DownloadUpdate: Hashable, Sendable {
    /// What becomes of the records of the stored bytes.
    public enum Bytes: Hashable, Sendable {
        case kept
        /// All bytes are discarded, with their segments and digests.
        case discarded
        /// All bytes of the file were durable before it was published, even if fewer had been recorded.
        case complete
        /// The part file has become the finished file.
        case published
    }

    public var download: Download
    public internal(set) var bytes = Bytes.kept
    /// What is removed from a root after the commit.
    public internal(set) var removals: [StorageTask] = []
    public internal(set) var event: EventType?
    /// Not nil only for ``EventType/downloadRestarted``.
    public internal(set) var restart: Event.Restart?
    /// What keeps the queued download from a slot, for the event.
    public internal(set) var deferral: QueueDeferral?

    /// - Parameter event: The event that tells clients about the change; nil if none does.
    public init(_ download: Download, event: EventType? = nil) {
        (self.download, self.event) = (download, event)
    }
}

extension DownloadUpdate {
    /// Discards all bytes, the file name, and the origin's metadata. The validator of the former file is kept. The next
    /// attempt writes a part file with a new name.
    ///
    /// - Parameter leavesPart: Whether there may be a part file, which must be removed.
    mutating func discardBytes(leavesPart: Bool = true) {
        bytes = .discarded
        if leavesPart, let part = download.partTask { removals.append(part) }
        download.generation += 1
        download.forgetBytes()
    }

    /// Discards the bytes, with the event that says so.
    ///
    /// - Parameter reason: As in ``Event/Restart``.
    mutating func startOver(because reason: String) {
        restart = Event.Restart(reason: reason, discardedBytes: download.progress.durableBytes)
        event = .downloadRestarted
        discardBytes()
    }
}

extension Download {
    /// The update after events of the worker, the scheduler or the clock.
    ///
    /// - Returns: nil if one of them does not fit the state.
    func update(after stateEvents: DownloadStateMachine.Event..., event: EventType? = nil) -> DownloadUpdate? {
        var machine = machine
        guard stateEvents.allSatisfy({ machine.handle($0) }) else { return nil }
        var new = self
        new.adopt(machine)
        return DownloadUpdate(new, event: event)
    }
}
