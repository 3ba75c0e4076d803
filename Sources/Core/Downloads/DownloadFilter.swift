/// Which downloads a list shows, or an operation acts on: those that meet every condition that is set.
public struct DownloadFilter: Hashable, Sendable {
    /// Any of these states; empty for all.
    public var states: [DownloadState]
    public var session: SessionName?
    /// Each of these labels.
    public var labels: [Label] = []
    /// The host of the requested URL, in lower case.
    public var host: String?
    /// The port of the requested URL.
    public var port: UInt16?
    public var errorCode: DownloadError.Code?
    public var created = TimeRange()
    public var finished = TimeRange()
    /// A part of the name, or of the URL without its query, in lower case.
    public var text: String?
    /// Any of these ids; empty for all.
    public var ids: [DownloadID]

    public init(states: [DownloadState] = [], session: SessionName? = nil, ids: [DownloadID] = []) {
        self.states = states
        self.session = session
        self.ids = ids
    }

    /// Whether a download has what states, session and ids ask for.
    public func includes(_ download: Download) -> Bool {
        if !states.isEmpty, !states.contains(download.state) { return false }
        if let session, session != download.request.session { return false }
        return ids.isEmpty || ids.contains(download.id)
    }

    /// Whether only state and session are conditions: the kept totals count what it selects.
    public var hasKeptTotals: Bool { self == DownloadFilter(states: states, session: session) }

    /// An open range of instants; nil is no limit.
    public struct TimeRange: Hashable, Sendable {
        public var after: Timestamp?
        public var before: Timestamp?

        public init(after: Timestamp? = nil, before: Timestamp? = nil) {
            self.after = after
            self.before = before
        }

        public var isUnlimited: Bool { after == nil && before == nil }
    }
}

/// The order of a list of downloads. Downloads with the same value are in the order of their ids, in the same
/// direction.
public struct DownloadOrder: Hashable, Sendable {
    public enum Key: String, CaseIterable, Hashable, Sendable {
        case createdAt = "created_at"
        case finishedAt = "finished_at"
        case priority, size, name
    }

    public var key: Key
    public var isDescending: Bool

    public init(_ key: Key = .createdAt, isDescending: Bool = true) {
        self.key = key
        self.isDescending = isDescending
    }

    /// Parses a word of a request, such as `-created_at`; nil if there is no such order.
    public init?(_ word: String) {
        let isDescending = word.hasPrefix("-")
        guard let key = Key(rawValue: String(word.dropFirst(isDescending ? 1 : 0))) else { return nil }
        self.init(key, isDescending: isDescending)
    }

    /// As requests spell it.
    public var word: String { (isDescending ? "-" : "") + key.rawValue }
}

/// A position in an ordered list: the last download before it. It stays valid when that download is deleted.
public struct DownloadPosition: Hashable, Sendable {
    /// The group of the order, from 0: for example the downloads without a value.
    public let group: Int
    /// The value of a group that is ordered by one.
    public let key: Key?
    public let id: DownloadID

    public enum Key: Hashable, Sendable {
        case number(Int64)
        case text(String)
    }

    public init(group: Int = 0, key: Key? = nil, id: DownloadID) {
        self.group = group
        self.key = key
        self.id = id
    }
}

/// One page of a list.
public struct DownloadPage: Sendable {
    public var downloads: [Download]
    /// Where the next page begins; nil for the last one. A page can be short, and not be the last.
    public var next: DownloadPosition?

    public init(downloads: [Download] = [], next: DownloadPosition? = nil) {
        self.downloads = downloads
        self.next = next
    }
}

/// The number of downloads that a filter selects.
public struct DownloadCount: Hashable, Sendable {
    public let total: Int
    /// Whether there may be more than were counted.
    public let isLowerBound: Bool

    public init(total: Int, isLowerBound: Bool) {
        self.total = total
        self.isLowerBound = isLowerBound
    }
}
