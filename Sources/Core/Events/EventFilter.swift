/// Which events of the log are shown.
public struct EventFilter: Hashable, Sendable {
    /// Any of these; nil for all.
    public var types: Set<EventType>?
    /// Only events of this session and of its downloads.
    public var session: SessionName?
    public var download: DownloadID?

    public init(types: Set<EventType>? = nil, session: SessionName? = nil, download: DownloadID? = nil) {
        self.types = types
        self.session = session
        self.download = download
    }

    public func includes(_ event: LoggedEvent) -> Bool {
        if let types, !types.contains(event.type) { return false }
        return concerns(download: event.download, of: event.session)
    }

    /// Whether the event's download matches, whatever its type is.
    public func concerns(download id: DownloadID?, of name: SessionName?) -> Bool {
        if let download, download != id { return false }
        if let session, session != name { return false }
        return true
    }
}

/// A pattern of event types: one type, a family (`download.*`), or all (`*`).
public struct EventPattern: Hashable, Sendable {
    /// The type of progress in streams, which is no event of the log.
    public static let progress = "download.progress"

    private static let words = EventType.allCases.map(\.rawValue) + [progress]

    public let text: String

    /// - Returns: nil if it matches no type.
    public init?(_ text: String) {
        self.text = text
        guard Self.words.contains(where: includes) else { return nil }
    }

    /// The types that it matches.
    public var types: Set<EventType> { Set(EventType.allCases.filter { includes($0.rawValue) }) }

    public var includesProgress: Bool { includes(Self.progress) }

    private func includes(_ word: String) -> Bool {
        if text == "*" || text == word { return true }
        return text.hasSuffix(".*") && word.hasPrefix(text.dropLast())
    }
}

/// The range of stored events: none in between was purged.
public struct EventWindow: Hashable, Sendable {
    /// The number of the oldest one; nil before there was any.
    public let oldest: Int64?
    /// The number of the newest one; 0 before there was any.
    public let newest: Int64

    public init(oldest: Int64?, newest: Int64) {
        self.oldest = oldest
        self.newest = newest
    }

    /// Whether every event after `sequence` is stored. A number that no event has had yet belongs to another log, such
    /// as the one before a restore from a backup.
    public func holdsAll(after sequence: Int64) -> Bool {
        sequence >= (oldest ?? 1) - 1 && sequence <= newest
    }
}

/// A read of the log.
public struct EventPage: Hashable, Sendable {
    public let window: EventWindow
    /// In the order of their numbers.
    public let events: [LoggedEvent]
    /// The position of the next page: the last event that was read, shown or not.
    public let last: Int64

    /// Whether it reaches the end of the log, however many events it shows.
    public var isAtEnd: Bool { last >= window.newest }

    public init(window: EventWindow, events: [LoggedEvent], last: Int64) {
        self.window = window
        self.events = events
        self.last = last
    }
}
