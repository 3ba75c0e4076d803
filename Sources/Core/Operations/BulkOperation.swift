/// An action on many downloads, carried out in steps (docs/decisions/0043).
public struct BulkOperation: Hashable, Sendable {
    public let id: OperationID
    public var request: BulkRequest
    public var counts: BulkCounts
    /// The first downloads that failed, at most ``maximumFailures``.
    public var failures: [BulkFailure]
    public var createdAt: Timestamp
    /// The time of the first step; nil before it.
    public var startedAt: Timestamp?
    /// The time of the last step; nil before it.
    public var finishedAt: Timestamp?
    /// The last download that a step has handled. The next step continues with older ones; nil before the first step.
    public var position: DownloadID?
    /// Only downloads with a smaller row are handled: those that existed when the operation was created.
    public var fence: Int64

    public static let maximumFailures = 100
    /// The maximum number of unfinished operations.
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

/// The numbers of handled downloads, by result.
public struct BulkCounts: Hashable, Sendable {
    public var changed = 0
    public var unchanged = 0
    public var failed = 0

    public init() {}

    public var matched: Int { changed + unchanged + failed }
}

public enum OperationKind: IdentifierKind { public static let prefix = "op" }

public typealias OperationID = Identifier<OperationKind>
