/// What must hold after every commit, asked of the database itself.
public struct StoreInvariants: Sendable {
    /// The counters of each download when it was last looked at.
    private var last: [String: [Int64]] = [:]

    private let hasRecordOfMoves: Bool

    /// - Parameter hasRecordOfMoves: Whether ``recordOfMoves`` was made. Without it the ends of sessions are not played
    ///   again.
    public init(hasRecordOfMoves: Bool) {
        self.hasRecordOfMoves = hasRecordOfMoves
    }

    /// What does not hold; empty as it should be.
    public mutating func faults(in database: some QuerySource) throws -> [String] {
        var faults: [String] = []
        for (claim, query) in Self.rules {
            let found = try database.rows(query, columns: 1).map { $0[0] ?? "NULL" }
            if !found.isEmpty { faults.append("\(claim): \(found)") }
        }
        faults += try counterFaults(in: database)
        return hasRecordOfMoves ? faults + (try sessionFaults(in: database)) : faults
    }

    /// Revision, run, epoch and generation never fall.
    private mutating func counterFaults(in database: some QuerySource) throws -> [String] {
        let names = ["revision", "run", "epoch", "generation"]
        var faults: [String] = []
        for row in try database.rows("SELECT id, \(names.joined(separator: ", ")) FROM download", columns: 5) {
            let (id, values) = (row[0] ?? "", row.dropFirst().map { $0.flatMap(Int64.init) ?? 0 })
            if let old = last[id] {
                for (name, pair) in zip(names, zip(old, values)) where pair.0 > pair.1 {
                    faults.append("the \(name) of \(id) fell from \(pair.0) to \(pair.1)")
                }
            }
            last[id] = values
        }
        return faults
    }

    /// Statements that make the database write down each move between sessions, of which no event tells, with the
    /// number of the last event before it. A store does not open a database that has more tables than it knows.
    public static let recordOfMoves = [
        "CREATE TABLE move(after INTEGER, download TEXT, old TEXT, new TEXT)",
        """
        CREATE TRIGGER record_move AFTER UPDATE ON download WHEN OLD.session IS NOT NEW.session BEGIN
            INSERT INTO move SELECT coalesce(max(seq), 0), NEW.id, OLD.session, NEW.session FROM event;
        END
        """,
    ]

    /// Plays the events and the moves again: a session finishes right after the last of its downloads has ended or
    /// has left it, each time, numbered from 1.
    private func sessionFaults(in database: some QuerySource) throws -> [String] {
        let columns = SessionReplay.Event.columns
        let rows = try database.rows(
            """
            SELECT \(columns.joined(separator: ", ")), 0 AS place FROM event WHERE session IS NOT NULL
            UNION ALL SELECT after, 'left', download, old, NULL, 0, rowid FROM move WHERE old IS NOT NULL
            UNION ALL SELECT after, 'entered', download, new, NULL, 0, rowid FROM move WHERE new IS NOT NULL
            ORDER BY seq, place
            """,
            columns: columns.count
        )
        var faults: [String] = []
        for (session, events) in Dictionary(grouping: rows.map(SessionReplay.Event.init), by: \.session) {
            var replay = SessionReplay()
            for event in events { replay.apply(event) }
            if let fault = replay.fault { faults.append("session \(session): \(fault)") }
            if replay.mustFinish { faults.append("session \(session) has finished without an event") }
        }
        return faults
    }
}

/// A database that can be asked behind the store's back.
public protocol QuerySource {
    /// The rows of a query, each as the text of its first `columns` values; nil for NULL.
    func rows(_ query: String, columns: Int) throws -> [[String?]]
}
