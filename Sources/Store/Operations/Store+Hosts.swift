import GRDB
public import Model

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
                    SELECT authority, iif(held_until > ?1, held_until, NULL),
                        iif(refuses_ranges_until > ?1, refuses_ranges_until, NULL), rate_bytes_per_second
                    FROM host
                    WHERE held_until > ?1 OR refuses_ranges_until > ?1 OR rate_bytes_per_second IS NOT NULL
                    """
            )
            return try Row.fetchAll(statement, arguments: [now.milliseconds]).map { row in
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
