/// An action on many downloads, as a client asks for it.
public struct BulkRequest: Hashable, Sendable {
    public var action: BulkAction
    /// The downloads; a list of ids is a filter, too.
    public var filter: DownloadFilter
    /// Counts what would be changed, and changes nothing.
    public var isDryRun: Bool
    /// For `cancel`: leaves the bytes for a later retry.
    public var keepsPartial: Bool
    /// For `delete`: cancels a download that has not ended first.
    public var forces: Bool
    /// For `delete`: removes the finished file as well.
    public var removesFile: Bool

    public init(
        action: BulkAction,
        filter: DownloadFilter = DownloadFilter(),
        isDryRun: Bool = false,
        keepsPartial: Bool = false,
        forces: Bool = false,
        removesFile: Bool = true
    ) {
        self.action = action
        self.filter = filter
        self.isDryRun = isDryRun
        self.keepsPartial = keepsPartial
        self.forces = forces
        self.removesFile = removesFile
    }
}

/// An action on many downloads that is carried out in steps (docs/decisions/0043).
public struct BulkOperation: Hashable, Sendable {
    public let id: OperationID
    public var request: BulkRequest
    public var counts: BulkCounts
    /// The first downloads that failed, at most ``maximumFailures``.
    public var failures: [BulkFailure]
    public var createdAt: Timestamp
    /// When its first step was done; nil before.
    public var startedAt: Timestamp?
    /// nil until every download had its turn.
    public var finishedAt: Timestamp?
    /// The walk goes on with older downloads than this one; nil at its beginning.
    public var position: DownloadID?
    /// The walk sees only smaller rows: downloads that were there when the operation was made.
    public var fence: Int64

    public static let maximumFailures = 100
    /// How many may be unfinished.
    public static let maximumUnfinished = 100

    public init(id: OperationID, request: BulkRequest, createdAt: Timestamp, fence: Int64) {
        self.id = id
        self.request = request
        counts = BulkCounts()
        failures = []
        self.createdAt = createdAt
        self.fence = fence
    }

    public enum State: String, Hashable, Sendable {
        case queued, running, finished
    }

    public var state: State {
        if finishedAt != nil { return .finished }
        return startedAt == nil ? .queued : .running
    }
}

/// How many downloads had their turn, by what came of it.
public struct BulkCounts: Hashable, Sendable {
    public var changed = 0
    public var unchanged = 0
    public var failed = 0

    public init() {}

    public var matched: Int { changed + unchanged + failed }
}

public enum OperationKind: IdentifierKind { public static let prefix = "op" }

public typealias OperationID = Identifier<OperationKind>
