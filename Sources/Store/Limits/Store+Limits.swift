public import Core

/// The result of a change of the rate limits.
public enum LimitsChange: Sendable {
    /// The limits after the change.
    case done(StoredLimits)
    /// The limits do not have the expected revision. Nothing was changed.
    case unexpected(revision: Int64)
}

extension Store {
    /// The rate limits that clients have set.
    public func limits() async throws -> StoredLimits {
        try await readers.readSnapshot { try $0.limits() }
    }

    /// Sets limits that replace settings. The limits of individual hosts are kept.
    ///
    /// - Parameter revision: The expected revision; nil for any.
    public func changeLimits(
        _ edit: LimitsEdit,
        expectedRevision revision: Int64? = nil,
        now: Timestamp
    ) async throws -> LimitsChange {
        // A pause ends work, so it must be recorded even on a full disk.
        try await writer.write(isVital: edit.pauses) { transaction in
            let old = try transaction.database.limits()
            if let revision, revision != old.revision { return .unexpected(revision: old.revision) }
            var new = old
            new.replacements = edit.applied(to: old.replacements)
            guard new != old else { return .done(old) }
            try transaction.save(&new, at: now)
            return .done(new)
        }
    }

    /// Sets or removes a host's own limit, which replaces the common one.
    ///
    /// - Parameter bytesPerSecond: The limit for all downloads of the host together; nil for the common limit.
    public func setRate(
        ofHost authority: String,
        to bytesPerSecond: Int64?,
        now: Timestamp
    ) async throws -> StoredLimits {
        try await writer.write { transaction in
            var limits = try transaction.database.limits()
            guard limits.hosts[authority] != bytesPerSecond else { return limits }
            limits.hosts[authority] = bytesPerSecond
            try transaction.save(&limits, at: now)
            // The next sweep removes a row without any value.
            try transaction.execute(
                """
                INSERT INTO host (authority, rate_bytes_per_second) VALUES (?1, ?2)
                ON CONFLICT (authority) DO UPDATE SET rate_bytes_per_second = ?2
                """,
                [authority, bytesPerSecond]
            )
            return limits
        }
    }
}

extension LimitsEdit {
    fileprivate var pauses: Bool {
        switch self {
        case .merge(let patch): patch.isPaused?.value == true
        case .replace(let replacements): replacements.isPaused == true
        }
    }
}

extension Database {
    fileprivate func limits() throws -> StoredLimits {
        var limits = StoredLimits()
        let hosts = Statement(
            "SELECT authority, rate_bytes_per_second FROM host WHERE rate_bytes_per_second IS NOT NULL"
        )
        try rows(hosts) { row in
            let authority = try row.next(String.self)
            limits.hosts[authority] = try row.next(Int64.self)
            return true
        }
        let replacesSchedule = try first(
            """
            SELECT revision, changed_at, paused, replaces_rate, rate_bytes_per_second, replaces_host_rate,
                host_rate_bytes_per_second, replaces_schedule
            FROM rate_limits
            """
        ) { row in
            limits.revision = try row.next()
            limits.changedAt = try row.next()
            limits.replacements.isPaused = try row.next()
            limits.replacements.bytesPerSecond = try row.replacement()
            limits.replacements.bytesPerSecondPerHost = try row.replacement()
            return try row.next(Bool.self)
        }
        if replacesSchedule == true { limits.replacements.schedule = try schedule() }
        return limits
    }

    private func schedule() throws -> RateSchedule {
        let windows = try all(
            "SELECT days, from_minute, to_minute, paused, rate_bytes_per_second FROM rate_window ORDER BY position"
        ) { row in
            let days: Int = try row.next()
            guard let from = TimeOfDay(minutes: try row.next()), let to = TimeOfDay(minutes: try row.next())
            else { throw StoreError.unreadable("a window of the schedule") }
            let isPaused: Bool = try row.next()
            let rate: Int64? = try row.next()
            return RateWindow(
                days: Set(Weekday.allCases.filter { days & 1 << $0.number != 0 }),
                from: from,
                to: to,
                limit: isPaused ? .paused : RateLimit(bytesPerSecond: rate)
            )
        }
        return RateSchedule(windows: windows)
    }
}

extension RowReader {
    /// Reads two columns: whether there is a replacement, and its value.
    fileprivate mutating func replacement() throws(StoreError) -> RateLimit? {
        let (isThere, value): (Bool, Int64?) = (try next(), try next())
        return isThere ? RateLimit(bytesPerSecond: value) : nil
    }
}

extension Transaction {
    /// Writes all limits except those of individual hosts, as the next revision.
    fileprivate func save(_ limits: inout StoredLimits, at now: Timestamp) throws {
        limits.revision += 1
        limits.changedAt = now
        let replacements = limits.replacements
        try execute(
            """
            INSERT INTO rate_limits (
                id, revision, changed_at, paused, replaces_rate, rate_bytes_per_second, replaces_host_rate,
                host_rate_bytes_per_second, replaces_schedule)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, changed_at = excluded.changed_at,
                paused = excluded.paused, replaces_rate = excluded.replaces_rate,
                rate_bytes_per_second = excluded.rate_bytes_per_second,
                replaces_host_rate = excluded.replaces_host_rate,
                host_rate_bytes_per_second = excluded.host_rate_bytes_per_second,
                replaces_schedule = excluded.replaces_schedule
            """,
            [
                limits.revision, now, replacements.isPaused, replacements.bytesPerSecond != nil,
                replacements.bytesPerSecond?.bytesPerSecond, replacements.bytesPerSecondPerHost != nil,
                replacements.bytesPerSecondPerHost?.bytesPerSecond, replacements.schedule != nil,
            ]
        )
        try execute("DELETE FROM rate_window", [])
        for (position, window) in (replacements.schedule?.windows ?? []).enumerated() {
            try execute(
                """
                INSERT INTO rate_window (position, days, from_minute, to_minute, paused, rate_bytes_per_second)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    position, window.days.reduce(0) { $0 | 1 << $1.number }, window.from.minutes, window.to.minutes,
                    window.limit == .paused, window.limit.bytesPerSecond,
                ]
            )
        }
    }
}
