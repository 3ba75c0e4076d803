public import Core
import GRDB

/// The next downloads of an operation, as one snapshot has them.
public struct OperationBatch: Sendable {
    /// As it is before the step.
    public let operation: BulkOperation
    /// The downloads to act on, the newest first.
    public let ids: [DownloadID]
    /// How many were passed by, because the action changes nothing in their state.
    public let unchanged: Int
    /// Where the next step goes on; nil if this is the last one.
    public let next: DownloadID?
}

extension Store {
    /// The next step of the oldest unfinished operation; nil if there is none.
    ///
    /// It looks at no more than 5,000 downloads, so that no reader is held for long.
    ///
    /// - Parameter limit: How many downloads the step acts on at most.
    public func nextBatch(limit: Int) async throws -> OperationBatch? {
        try await readers.readSnapshot { database in
            guard let operation = try database.unfinishedOperation() else { return nil }
            let found = try database.matches(operation, limit: OperationWalk.lookedAt)
            var (ids, unchanged): ([DownloadID], Int) = ([], 0)
            for (index, match) in found.enumerated() {
                // A row with an unreadable id cannot be named. The log of the store names it when it is listed.
                guard let id = DownloadID(match.id) else { continue }
                // A state that this version does not know is refused where its row is read.
                if let state = match.state, !operation.request.action.concerns(state) {
                    unchanged += 1
                } else {
                    ids.append(id)
                }
                guard ids.count == limit, index + 1 < found.count else { continue }
                return OperationBatch(operation: operation, ids: ids, unchanged: unchanged, next: id)
            }
            let isLast = found.count < OperationWalk.lookedAt
            return OperationBatch(
                operation: operation,
                ids: ids,
                unchanged: unchanged,
                next: isLast ? nil : found.reversed().lazy.compactMap { DownloadID($0.id) }.first
            )
        }
    }
}

private enum OperationWalk {
    static let lookedAt = 5000

    struct Match {
        let id: String
        let state: DownloadState?
    }
}

extension Database {
    /// The next downloads that the filter of an operation matches. Several states are one indexed walk each, as in a
    /// list.
    fileprivate func matches(_ operation: BulkOperation, limit: Int) throws -> [OperationWalk.Match] {
        let states = operation.request.filter.states
        guard states.count > 1 else { return try matches(operation, states.first, limit: limit) }
        let found = try states.flatMap { try matches(operation, $0, limit: limit) }
        return Array(found.sorted { $0.id > $1.id }.prefix(limit))
    }

    private func matches(
        _ operation: BulkOperation,
        _ state: DownloadState?,
        limit: Int
    ) throws -> [OperationWalk.Match] {
        let filter = operation.request.filter
        // With the plus sign SQLite does not walk by rows, and sort.
        var conditions = ["+row < ?"]
        var values: [(any DatabaseValueConvertible)?] = [operation.fence]
        if let position = operation.position {
            conditions.append("id < ?")
            values.append(position.text)
        }
        if let session = filter.session {
            conditions.append("session = ?")
            values.append(session.text)
        }
        if let state {
            conditions.append("state = ?")
            values.append(state.rawValue)
        }
        if !filter.ids.isEmpty {
            conditions.append("id IN (\(filter.ids.map { _ in "?" }.joined(separator: ", ")))")
            values += filter.ids.map(\.text)
        }
        let rows = try Row.fetchCursor(
            cachedStatement(
                sql: """
                    SELECT id, state FROM download
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?
                    """
            ),
            arguments: StatementArguments(values + [limit])
        )
        var found: [OperationWalk.Match] = []
        while let row = try rows.next() {
            var reader = RowReader(row)
            let id: String = try reader.next()
            found.append(OperationWalk.Match(id: id, state: DownloadState(rawValue: try reader.next())))
        }
        return found
    }
}
