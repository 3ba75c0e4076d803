/// The downloads that a list shows, or that an operation acts on: those that meet all conditions that are set.
///
/// docs/decisions/0043 names the places where a new condition is added.
public struct DownloadFilter: Hashable, Sendable {
    /// Any of these states; empty for all.
    public var states: [DownloadState]
    public var session: SessionName?
    /// All of these labels.
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

    /// Whether the kept totals count what the filter selects: only states and session can be conditions.
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

/// A position in an ordered list, after a download. It stays valid if that download is deleted.
public struct DownloadPosition: Hashable, Sendable {
    /// The number of the group in the order, from 0. The downloads without a value are a group, for example.
    public let group: Int
    /// The value that the group is ordered by; nil if it is ordered by id.
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
    /// The position after which the next page begins; nil on the last page. Other pages can be short too.
    public var next: DownloadPosition?

    public init(downloads: [Download] = [], next: DownloadPosition? = nil) {
        self.downloads = downloads
        self.next = next
    }
}

/// The number of downloads that a filter selects.
public struct DownloadCount: Hashable, Sendable {
    public let total: Int
    /// Whether there can be more than were counted.
    public let isLowerBound: Bool

    public init(total: Int, isLowerBound: Bool) {
        self.total = total
        self.isLowerBound = isLowerBound
    }
}
