public import Core

extension Store {
    /// No task is due later than this. One that is was recorded before the clock was set back, so it is due now.
    private static let longestWait = Duration.seconds(120)

    /// The oldest tasks that are due, and the instant at which the next one is.
    public func storageTasks(limit: Int, now: Timestamp) async throws -> (due: [StorageTask], next: Timestamp?) {
        // Its caller can wait, so it opens no further connection at the start of the service.
        try await readers.readSnapshot(.long) { database in
            let due = try database.all(
                """
                SELECT row, \(StorageTask.columnList) FROM storage_task
                WHERE due_at <= ? OR due_at > ? ORDER BY due_at, row LIMIT ?
                """,
                [now, now + Self.longestWait, limit]
            ) { reader in
                let row: Int64 = try reader.next()
                var task = try StorageTask(&reader)
                task.row = row
                return task
            }
            let next = try database.first(
                Timestamp.self,
                "SELECT min(due_at) FROM storage_task WHERE due_at > ? AND due_at <= ?",
                [now, now + Self.longestWait]
            )
            return (due, next)
        }
    }

    /// Whether a record names the path of a file to be removed: then the file belongs to that download, and is kept.
    ///
    /// - Parameter id: The download that the file was recorded for. Once it is cancelled, its record does not count.
    public func isRecorded(_ file: PublishedFile, of id: DownloadID) async throws -> Bool {
        try await readers.lookUp { database in
            try database.exists(
                """
                SELECT 1 FROM download {index download_by_file}
                WHERE file_path = ?1 AND file_root = ?2 AND (id <> ?3 OR state <> 'cancelled')
                UNION ALL
                SELECT 1 FROM download {index download_by_kept_file} WHERE kept_path = ?1 AND kept_root = ?2
                """,
                [file.path, file.root, id]
            )
        }
    }

    /// Records that tasks were carried out, and that others are tried again later.
    ///
    /// - Parameter instant: When the failed ones are due again.
    public func settle(
        _ tasks: [StorageTask],
        failed: [StorageTask],
        tryingAgainAt instant: Timestamp
    ) async throws {
        guard !tasks.isEmpty || !failed.isEmpty else { return }
        try await writer.write(isVital: true) { transaction in
            try transaction.execute(
                "DELETE FROM storage_task WHERE row {in ?}",
                [SQLValue.integers(tasks.map(\.row))]
            )
            guard !failed.isEmpty else { return }
            try transaction.execute(
                "UPDATE storage_task SET due_at = ? WHERE row {in ?}",
                [instant, SQLValue.integers(failed.map(\.row))]
            )
        }
    }
}

extension Transaction {
    /// Records what is to be removed once this transaction is durable.
    func remove(_ task: StorageTask?, at now: Timestamp) throws {
        guard let task else { return }
        try database.write(StorageTask.insertion) { writer in
            task.write(to: &writer)
            writer.add(now)
        }
        notices.insert(.storage)
    }
}
