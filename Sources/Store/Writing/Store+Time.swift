public import Core

extension Store {
    /// Records what is known about the time, for the next process.
    ///
    /// - Parameter doubt: nil if the wall clock is trusted. Then the time of the newest event is enough.
    public func record(_ doubt: RetentionClock.Doubt?) async throws {
        try await writer.write { transaction in
            try transaction.execute(
                """
                INSERT INTO service (id, proven_at, claimed_at, claim_held_ms) VALUES (1, ?1, ?2, ?3)
                ON CONFLICT (id) DO UPDATE SET proven_at = ?1, claimed_at = ?2, claim_held_ms = ?3
                """,
                [
                    doubt?.proven, doubt?.claimedAt,
                    doubt?.claimedAt.flatMap { _ in doubt?.duration.wholeMilliseconds },
                ]
            )
        }
    }
}

extension StoreEngine {
    /// What the previous process knew about the time. If it trusted the wall clock, that is the time of the newest
    /// event. It is recorded before this process writes any event, because the clock may now be wrong.
    func openDoubt(_ reader: any ReadingConnection) throws -> RetentionClock.Doubt? {
        do {
            try write { database in
                try database.execute(
                    """
                    INSERT INTO service (id, proven_at) SELECT 1, at FROM event WHERE true ORDER BY seq DESC LIMIT 1
                    ON CONFLICT (id) DO UPDATE SET proven_at = excluded.proven_at WHERE service.proven_at IS NULL
                    """
                )
                return true
            }
        } catch let error as StoreError where error.isTemporary {
            // Without disk space the result is still correct, unless this process ends while it doubts the clock.
        }
        return try reader.read { database in
            let doubt = try database.first(
                """
                SELECT coalesce(
                    (SELECT proven_at FROM service), (SELECT at FROM event ORDER BY seq DESC LIMIT 1)) AS proven,
                    (SELECT claimed_at FROM service), (SELECT claim_held_ms FROM service)
                """
            ) { row throws -> RetentionClock.Doubt? in
                guard let proven = try row.next(Timestamp?.self) else { return nil }
                return try RetentionClock.Doubt(
                    proven: proven,
                    claimedAt: row.next(),
                    duration: .milliseconds(row.next(Int64?.self) ?? 0)
                )
            }
            return doubt ?? nil
        }
    }
}
