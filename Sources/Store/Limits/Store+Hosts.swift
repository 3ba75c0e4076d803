public import Core
import GRDB

/// What is remembered of a host across starts.
public struct StoredHost: Hashable, Sendable {
    public let authority: String
    /// No download of it is claimed before.
    public let heldUntil: Timestamp?
    /// Its ranges are not relied on before.
    public let refusesRangesUntil: Timestamp?
    /// What its downloads together take, in bytes per second; nil for the common limit.
    public let bytesPerSecond: Int64?
}

extension Store {
    /// The hosts of which something is remembered that still holds.
    public func hosts(now: Timestamp) async throws -> [StoredHost] {
        try await readers.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT authority, held, refuses, rate_bytes_per_second FROM (
                        SELECT authority, rate_bytes_per_second,
                            iif(held_until > ?1 AND held_until <= ?2, held_until, NULL) AS held,
                            iif(refuses_ranges_until > ?1 AND refuses_ranges_until <= ?3, refuses_ranges_until, NULL)
                                AS refuses
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
