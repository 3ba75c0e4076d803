public import Core
import GRDB

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
            let statement = try database.cachedStatement(
                sql: """
                    SELECT authority, held, refuses, rate_bytes_per_second FROM (
                        SELECT authority, rate_bytes_per_second,
                            iif(held_until_at > ?1 AND held_until_at <= ?2, held_until_at, NULL) AS held,
                            iif(refuses_ranges_until_at > ?1 AND refuses_ranges_until_at <= ?3,
                                refuses_ranges_until_at, NULL) AS refuses
                        FROM host)
                    WHERE held IS NOT NULL OR refuses IS NOT NULL OR rate_bytes_per_second IS NOT NULL
                    """
            )
            let instants = [now, now + HostWaitReason.longest, now + HostWaitReason.rangeRefusal].map(\.milliseconds)
            return try Row.fetchAll(statement, arguments: StatementArguments(instants)).map { row in
                StoredHost(
                    authority: row[0],
                    heldUntil: (row[1] as Int64?).map(Timestamp.init(milliseconds:)),
                    refusesRangesUntil: (row[2] as Int64?).map(Timestamp.init(milliseconds:)),
                    bytesPerSecond: row[3]
                )
            }
        }
    }
}
