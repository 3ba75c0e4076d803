public import Core

extension Store {
    /// Records an operation, and notifies the runner.
    ///
    /// - Returns: nil in place of the operation if too many are unfinished.
    public func createOperation(
        _ id: OperationID,
        _ request: BulkRequest,
        replay: IdempotentOperation<BulkOperation>? = nil,
        now: Timestamp
    ) async throws -> IdempotentResult<BulkOperation?> {
        try await writer.write(isVital: request.isVital) { transaction in
            try transaction.once(replay, now: now) {
                try transaction.createOperation(id, request, now: now)
            } keeping: {
                $0
            }
        }
    }

    /// An operation as of the last commit; nil if there is none.
    public func operation(_ id: OperationID) async throws -> BulkOperation? {
        try await readers.readSnapshot { try $0.operation(id) }
    }
}

extension BulkRequest {
    /// Whether the action ends work. Such an action must be recorded even on a full disk.
    var isVital: Bool {
        switch action {
        case .pause, .cancel, .delete: !isDryRun
        case .resume, .retry: false
        }
    }
}

extension Transaction {
    fileprivate func createOperation(
        _ id: OperationID,
        _ request: BulkRequest,
        now: Timestamp
    ) throws -> BulkOperation? {
        let unfinished = try database.first(
            Int.self,
            "SELECT count(*) FROM operation {index operation_unfinished} WHERE finished_at IS NULL"
        )
        guard (unfinished ?? 0) < BulkOperation.maximumUnfinished else { return nil }
        let highest = try database.first(Int64.self, "SELECT max(row) FROM download") ?? 0
        var operation = BulkOperation(id: id, request: request, createdAt: now, fence: highest + 1)
        let missing = try request.filter.ids.filter { try !database.hasDownload($0) }
        operation.add(missing.map { BulkFailure($0, .notFound) })
        let new = operation
        try database.write(BulkOperation.insertion) { new.write(to: &$0) }
        try store(new.failures[...], of: new, from: 0)
        notices.insert(.operations)
        return new
    }

    /// Writes the changes of a step.
    func update(_ old: BulkOperation, to operation: BulkOperation) throws {
        try database.write(BulkOperation.update) { writer in
            var new = operation
            new.progressColumns(&writer)
            writer.add(operation.id)
        }
        try store(operation.failures.dropFirst(old.failures.count), of: operation, from: old.failures.count)
    }

    private func store(_ failures: ArraySlice<BulkFailure>, of operation: BulkOperation, from start: Int) throws {
        for (index, failure) in failures.enumerated() {
            try execute(
                "INSERT INTO operation_failure (operation, position, download, reason) VALUES (?, ?, ?, ?)",
                [operation.id, start + index, failure.download, failure.reason]
            )
        }
    }

    /// Deletes operations that ended long ago.
    func purgeOperations(before time: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM operation WHERE id IN (
                SELECT id FROM operation {index operation_finished}
                WHERE finished_at <= ? ORDER BY finished_at LIMIT ?)
            """,
            [time, limit]
        )
    }
}

extension BulkOperation {
    /// Counts downloads that failed, and keeps the first ones.
    mutating func add(_ new: [BulkFailure]) {
        counts.failed += new.count
        failures += new.prefix(Self.maximumFailures - failures.count)
    }
}

extension Database {
    func operation(_ id: OperationID) throws -> BulkOperation? {
        try operation("SELECT \(BulkOperation.columnList) FROM operation WHERE id = ?", [id])
    }

    /// The oldest operation that has steps to do, other than `deferred`.
    func unfinishedOperation(except deferred: Set<OperationID> = []) throws -> BulkOperation? {
        try operation(
            """
            SELECT \(BulkOperation.columnList) FROM operation {index operation_unfinished}
            WHERE finished_at IS NULL AND id {not in ?} ORDER BY row LIMIT 1
            """,
            [SQLValue.texts(deferred.map(\.text))]
        )
    }

    private func operation(_ sql: String, _ arguments: [any ParameterValue]) throws -> BulkOperation? {
        guard var operation = try values(BulkOperation.self, sql, arguments).first else { return nil }
        operation.failures = try all(
            "SELECT download, reason FROM operation_failure WHERE operation = ? ORDER BY position",
            [operation.id]
        ) { row in BulkFailure(try row.next(), try row.next()) }
        return operation
    }

    fileprivate func hasDownload(_ id: DownloadID) throws -> Bool {
        try exists("SELECT 1 FROM download WHERE id = ?", [id])
    }
}
