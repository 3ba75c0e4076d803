public import Core

/// The next downloads of an operation, read from one snapshot.
public struct OperationBatch: Sendable {
    /// The operation before the step.
    public let operation: BulkOperation
    /// The downloads to act on, newest first.
    public let ids: [DownloadID]
    /// The number of downloads that are skipped, because the action does not change anything in their state.
    public let unchanged: Int
    /// The download after which the next step continues; nil if this step is the last one.
    public let next: DownloadID?
}

extension Store {
    private static func hasNoID(_ text: String) -> Bool { DownloadID(text) == nil }

    /// The oldest unfinished operation other than `deferred`; nil if there is none.
    public func unfinishedOperation(except deferred: Set<OperationID>) async throws -> OperationID? {
        try await readers.read { try $0.unfinishedOperation(except: deferred)?.id }
    }

    /// The next step of the oldest unfinished operation other than `deferred`; nil if there is none.
    ///
    /// - Parameter limit: The maximum number of downloads that the step acts on.
    public func nextBatch(limit: Int, except deferred: Set<OperationID> = []) async throws -> OperationBatch? {
        // A row whose id cannot be read is skipped. Other unreadable rows are failures of the step.
        try await unreadable.skipping(where: Self.hasNoID) { readable in
            try await readers.readSnapshot(.long) { database in
                guard let operation = try database.unfinishedOperation(except: deferred) else { return nil }
                let list = DownloadList(
                    database: database,
                    filter: operation.request.filter,
                    readable: readable,
                    fence: operation.fence,
                    examined: OperationScan.examined
                )
                var scan = OperationScan(operation: operation, limit: limit)
                // A short page is enough for most steps, and a long one follows if the action changes few downloads.
                for pageLimit in [limit, OperationScan.examined] where !scan.isComplete {
                    try scan.addPage(of: list, limit: pageLimit)
                }
                return scan.batch
            }
        }
    }
}

/// Collects a batch from pages of a list.
private struct OperationScan {
    let operation: BulkOperation
    let limit: Int
    private var ids: [DownloadID] = []
    private var unchanged = 0
    private var next: DownloadID?
    private(set) var isComplete = false

    /// The maximum number of rows that a page examines, so that no reader is busy for long.
    static let examined = 5_000

    init(operation: BulkOperation, limit: Int) {
        self.operation = operation
        self.limit = limit
        next = operation.position
    }

    var batch: OperationBatch {
        OperationBatch(operation: operation, ids: ids, unchanged: unchanged, next: next)
    }

    mutating func addPage(of list: DownloadList, limit pageLimit: Int) throws {
        let page = try list.found(after: next.map { DownloadPosition(id: $0) }, limit: pageLimit)
        for (index, match) in page.found.enumerated() {
            // If this version does not know the state, the step records a failure when it reads the row.
            if let state = match.state, !operation.request.action.concerns(state, forces: operation.request.forces) {
                unchanged += 1
            } else {
                ids.append(match.position.id)
            }
            guard ids.count == limit else { continue }
            let isLast = page.next == nil && index + 1 == page.found.count
            next = isLast ? nil : match.position.id
            isComplete = true
            return
        }
        next = page.next?.id
        isComplete = next == nil
    }
}
