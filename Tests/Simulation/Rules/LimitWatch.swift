import StoreSupport

/// No commit starts more downloads than the limits of the service, of a host and of a session allow, and none takes
/// more of a session's quota than there is.
struct LimitWatch {
    let maxConcurrent: Int
    let maxPerHost: Int?
    /// What ran at the last look; nil before the first, which finds what the process before has left.
    private var running: Set<String>?
    private var sessions: [String: Session] = [:]

    private struct Session {
        let used: Int64
        let maxBytes: Int64
        let maxConcurrent: Int
    }

    init(maxConcurrent: Int, maxPerHost: Int?) { (self.maxConcurrent, self.maxPerHost) = (maxConcurrent, maxPerHost) }

    mutating func faults(in database: some QuerySource) throws -> [String] {
        let rows = try database.rows(
            "SELECT id || ' ' || epoch, authority, coalesce(session, '') FROM download WHERE state = 'running'",
            columns: 3
        ).map { $0.map { $0 ?? "" } }
        let known = try sessions(in: database)
        defer {
            running = Set(rows.map { $0[0] })
            sessions = known
        }
        // One commit may carry a start, and after it a lower limit.
        let limits = known.merging(sessions) { new, old in
            Session(used: 0, maxBytes: 0, maxConcurrent: max(new.maxConcurrent, old.maxConcurrent))
        }
        var faults: [String] = []
        for started in rows where running?.contains(started[0]) == false {
            let ofHost = rows.count { $0[1] == started[1] }
            let ofSession = rows.count { $0[2] == started[2] }
            let limit = limits[started[2]]?.maxConcurrent ?? .max
            if rows.count > maxConcurrent { faults.append("\(rows.count) downloads run") }
            if ofHost > maxPerHost ?? .max { faults.append("\(ofHost) downloads of \(started[1]) run") }
            if !started[2].isEmpty, ofSession > limit { faults.append("\(ofSession) of \(started[2]) run") }
        }
        return faults + quotaFaults(known)
    }

    private func sessions(in database: some QuerySource) throws -> [String: Session] {
        let query = "SELECT name, used_bytes, max_bytes, max_concurrent FROM session"
        return try Dictionary(
            uniqueKeysWithValues: database.rows(query, columns: 4).map { row in
                let numbers = row.map { $0.flatMap(Int64.init) }
                let session = Session(
                    used: numbers[1] ?? 0,
                    maxBytes: numbers[2] ?? .max,
                    maxConcurrent: numbers[3].map(Int.init) ?? .max
                )
                return (row[0] ?? "", session)
            }
        )
    }

    private func quotaFaults(_ known: [String: Session]) -> [String] {
        known.compactMap { name, session in
            guard let old = sessions[name] else { return nil }
            let most = max(session.maxBytes, old.maxBytes)
            guard session.used > most, session.used > old.used else { return nil }
            return "\(name) uses \(session.used) of \(most) bytes"
        }
    }
}
