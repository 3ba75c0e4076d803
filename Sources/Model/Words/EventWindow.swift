/// The events that are kept: none between the first and the last of them was purged.
public struct EventWindow: Hashable, Sendable {
    /// The number of the oldest one; nil before there was any.
    public let oldest: Int64?
    /// The number of the newest one; 0 before there was any.
    public let newest: Int64

    public init(oldest: Int64?, newest: Int64) {
        self.oldest = oldest
        self.newest = newest
    }

    /// Whether every event after `sequence` is kept. A number that none had yet belongs to another log, such as the one
    /// before a backup took its place.
    public func holdsAll(after sequence: Int64) -> Bool {
        sequence >= (oldest ?? 1) - 1 && sequence <= newest
    }
}

/// A look into the log.
public struct EventPage: Hashable, Sendable {
    public let window: EventWindow
    /// In the order of their numbers.
    public let events: [LoggedEvent]
    /// What the next page begins after: the last event that was looked at, shown or not.
    public let last: Int64

    /// Whether no event follows it, however many it shows.
    public var isAtEnd: Bool { last >= window.newest }

    public init(window: EventWindow, events: [LoggedEvent], last: Int64) {
        self.window = window
        self.events = events
        self.last = last
    }
}
