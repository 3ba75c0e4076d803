/// The tables of limits.
extension Schema {
    /// What the service has learned about a host, and the rate limit that a client has given it.
    static let host = """
        CREATE TABLE host (
            authority {text} NOT NULL PRIMARY KEY,
            held_until_at {integer},
            refuses_ranges_until_at {integer},
            rate_bytes_per_second {integer} CHECK (rate_bytes_per_second > 0)
        ) {by key};
        """

    /// The limits that a client has set in place of the settings, in one row.
    static let rateLimits = """
        CREATE TABLE rate_limits (
            id {integer} PRIMARY KEY CHECK (id = 1),
            revision {integer} NOT NULL CHECK (revision > 0),
            changed_at {integer} NOT NULL,
            paused {flag} CHECK (paused IN (0, 1)),
            replaces_rate {flag} NOT NULL CHECK (replaces_rate IN (0, 1)),
            rate_bytes_per_second {integer} CHECK (rate_bytes_per_second > 0),
            replaces_host_rate {flag} NOT NULL CHECK (replaces_host_rate IN (0, 1)),
            host_rate_bytes_per_second {integer} CHECK (host_rate_bytes_per_second > 0),
            replaces_schedule {flag} NOT NULL CHECK (replaces_schedule IN (0, 1)),
            CHECK (replaces_rate = 1 OR rate_bytes_per_second IS NULL),
            CHECK (replaces_host_rate = 1 OR host_rate_bytes_per_second IS NULL)
        ) {by row};
        """

    /// The schedule that a client has set.
    static let rateWindow = """
        CREATE TABLE rate_window (
            position {integer} PRIMARY KEY,
            days {integer} NOT NULL CHECK (days BETWEEN 1 AND 127),
            from_minute {integer} NOT NULL CHECK (from_minute BETWEEN 0 AND 1440),
            to_minute {integer} NOT NULL CHECK (to_minute BETWEEN 0 AND 1440),
            rate_bytes_per_second {integer} CHECK (rate_bytes_per_second > 0),
            paused {flag} NOT NULL CHECK (paused IN (0, 1)),
            CHECK (paused = 0 OR rate_bytes_per_second IS NULL)
        ) {by row};
        """
}
