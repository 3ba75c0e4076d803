import Core

/// The newest events of the log with their encoded frames, read once for all streams.
struct EventTail {
    struct Entry: Sendable {
        /// The event without its body, which is in the frame.
        let event: LoggedEvent
        let frame: [UInt8]
    }

    /// The result of a lookup after a stream's position.
    enum Lookup {
        /// The matching events, and the sequence number up to which the tail was searched.
        case found([Entry], upTo: Int64)
        /// Some events after the position are no longer in the tail. Read them from the store.
        case behind
    }

    static let capacity = 256

    /// The tail contains every event after this sequence number, up to ``last``.
    private(set) var start: Int64
    private(set) var last: Int64
    private var entries: [Entry] = []

    /// - Parameter sequence: The sequence number after which the tail starts.
    init(after sequence: Int64) {
        start = sequence
        last = sequence
    }

    /// - Parameters:
    ///   - added: All events after ``last``, in order.
    ///   - sequence: The sequence number up to which the log was read.
    mutating func append(_ added: [Entry], upTo sequence: Int64) {
        entries += added
        last = max(last, sequence)
        let surplus = entries.count - Self.capacity
        guard surplus > 0 else { return }
        start = entries[surplus - 1].event.sequence
        entries.removeFirst(surplus)
    }

    /// - Parameters:
    ///   - limit: The maximum number of events.
    ///   - bytes: The page ends with the event that brings the size of the frames to this value.
    func lookUp(after sequence: Int64, for filter: EventFilter, limit: Int, bytes: Int = .max) -> Lookup {
        guard sequence >= start else { return .behind }
        var (found, size): ([Entry], Int) = ([], 0)
        for entry in entries[firstIndex(after: sequence)...] where filter.includes(entry.event) {
            found.append(entry)
            size += entry.frame.count
            if found.count == limit || size >= bytes { return .found(found, upTo: entry.event.sequence) }
        }
        return .found(found, upTo: max(last, sequence))
    }

    private func firstIndex(after sequence: Int64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].event.sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension EventTail.Entry {
    init(_ event: LoggedEvent) {
        self.init(event: event.withoutBody, frame: StreamFrame.event(event))
    }
}

extension LoggedEvent {
    fileprivate var withoutBody: LoggedEvent {
        LoggedEvent(
            sequence: sequence,
            id: id,
            type: type,
            at: at,
            download: download,
            session: session,
            body: []
        )
    }
}
