public import Core

/// Data about a host that survives a restart.
public struct StoredHost: Hashable, Sendable {
    public let authority: String
    /// No download of the host is claimed before this instant.
    public let heldUntil: Timestamp?
    /// No ranges are requested from the host before this instant.
    public let refusesRangesUntil: Timestamp?
    /// The rate limit for all downloads of the host together, in bytes per second; nil for the common limit.
    public let bytesPerSecond: Int64?
}

extension Store {
    /// The hosts with at least one value that is still in effect.
    public func hosts(now: Timestamp) async throws -> [StoredHost] {
        try await readers.read { database in
            try database.all(
                """
                SELECT authority, held, refuses, rate_bytes_per_second FROM (
                    SELECT authority, rate_bytes_per_second,
                        CASE WHEN held_until_at > ?1 AND held_until_at <= ?2 THEN held_until_at ELSE NULL END AS held,
                        CASE WHEN refuses_ranges_until_at > ?1 AND refuses_ranges_until_at <= ?3
                            THEN refuses_ranges_until_at ELSE NULL END AS refuses
                    FROM host) AS s
                WHERE held IS NOT NULL OR refuses IS NOT NULL OR rate_bytes_per_second IS NOT NULL
                """,
                [now, now + HostWaitReason.longest, now + HostWaitReason.rangeRefusal]
            ) { row in
                try StoredHost(
                    authority: row.next(),
                    heldUntil: row.next(),
                    refusesRangesUntil: row.next(),
                    bytesPerSecond: row.next()
                )
            }
        }
    }
}
