import Core
import Testing

@testable import Store

/// What must hold after every commit, asked of the file itself.
struct Invariants {
    let fixture: Fixture
    private var last: [String: [Int64]] = [:]

    init(fixture: Fixture) {
        self.fixture = fixture
    }

    mutating func check(after round: [Step]) throws {
        for (claim, query) in Self.violations {
            let found = try fixture.texts(query)
            #expect(found.isEmpty, "\(claim): \(found) after \(round)")
        }
        try checkCounters(round)
        try checkSessions(round)
    }

    /// What takes a look at every page of the file.
    func checkFile() throws {
        #expect(try fixture.texts("SELECT \"table\" FROM pragma_foreign_key_check").isEmpty)
        #expect(try fixture.texts("SELECT integrity_check FROM pragma_integrity_check") == ["ok"])
    }

    /// Queries that find what must not be.
    private static let violations: [(claim: String, query: String)] = [
        (
            "a session's account is the count of its open downloads",
            """
            SELECT name FROM session WHERE open_count <> (SELECT count(*) FROM download
                WHERE session = name AND state NOT IN ('completed', 'failed', 'cancelled'))
            """
        ),
        (
            "what a session holds is what its downloads hold",
            """
            SELECT name FROM session WHERE used_bytes <> (SELECT coalesce(sum(CASE WHEN state = 'running'
                THEN max(durable_bytes, coalesce(total_bytes, 0)) ELSE durable_bytes END), 0)
                FROM download WHERE session = name)
            """
        ),
        (
            "nothing is open in a session that was deleted",
            "SELECT name FROM session WHERE deleted = 1 AND open_count > 0"
        ),
        (
            "an open download belongs to the current epoch",
            """
            SELECT id FROM download d WHERE session IS NOT NULL
                AND state NOT IN ('completed', 'failed', 'cancelled')
                AND session_epoch <> (SELECT s.session_epoch FROM session s WHERE s.name = d.session)
            """
        ),
        (
            "a run that has ended has one terminal event, of its kind, and one that goes on has none",
            """
            SELECT id FROM download d WHERE
                (SELECT count(*) FROM event e WHERE e.download = d.id AND e.run = d.run AND e.terminal = 1)
                    <> (state IN ('completed', 'failed', 'cancelled'))
                OR (SELECT count(*) FROM event e WHERE e.download = d.id AND e.run < d.run AND e.terminal = 1)
                    <> run - 1
                OR EXISTS (SELECT 1 FROM event e WHERE e.download = d.id AND e.run = d.run AND e.terminal = 1
                    AND e.type <> 'download.' || d.state)
            """
        ),
        (
            "what was deleted had ended",
            """
            SELECT download FROM event g WHERE type = 'download.deleted' AND NOT EXISTS (SELECT 1 FROM event e
                WHERE e.download = g.download AND e.run = g.run AND e.terminal = 1 AND e.seq < g.seq)
            """
        ),
        (
            "nothing but its deletion follows the end of a run",
            """
            SELECT l.id FROM event e JOIN event l ON l.download = e.download AND l.run = e.run AND l.seq > e.seq
            WHERE e.terminal = 1 AND l.type <> 'download.deleted'
            """
        ),
        (
            "each event that a webhook receives has its delivery, and no other",
            """
            SELECT e.id FROM event e WHERE (SELECT count(*) FROM delivery WHERE event = e.seq)
                <> (e.terminal = 1 OR e.type = 'session.finished')
            """
        ),
        (
            "segments belong to the generation that is written",
            """
            SELECT s.download FROM segment s LEFT JOIN download d ON d.id = s.download
            WHERE d.id IS NULL OR s.generation <> d.generation
            """
        ),
        (
            "block digests belong to the generation that is written",
            """
            SELECT b.download FROM block b LEFT JOIN download d ON d.id = b.download
            WHERE d.id IS NULL OR b.generation <> d.generation
            """
        ),
        (
            "the durable bytes are those of the segments",
            """
            SELECT id FROM download WHERE phase IS NOT 'publishing' AND state <> 'completed'
                AND durable_bytes <> coalesce((SELECT sum(durable_end - start_byte) FROM segment s
                    WHERE s.download = id AND s.generation = generation), 0)
            """
        ),
        (
            "the kept totals of a session are those of its downloads",
            """
            SELECT name FROM session
            WHERE (\(keptTotals)) <> (SELECT \(countedTotals) FROM download WHERE session = name)
            """
        ),
        (
            "the kept totals of the service are those of its downloads",
            "SELECT id FROM download_totals WHERE (\(keptTotals)) <> (SELECT \(countedTotals) FROM download)"
        ),
        (
            "a download has the labels that it shows, and no others are left",
            """
            SELECT d.id FROM download d, json_each(d.labels) j WHERE NOT EXISTS (SELECT 1 FROM download_label l
                WHERE l.name = j.key AND l.value = j.value AND l.id = d.id AND l.row = d.row)
            UNION ALL SELECT l.id FROM download_label l
            WHERE NOT EXISTS (SELECT 1 FROM download d, json_each(d.labels) j
                WHERE d.id = l.id AND j.key = l.name AND j.value = l.value)
            """
        ),
        ("what runs has a node", "SELECT id FROM download WHERE state = 'running' AND node IS NULL"),
    ]

    private static let states = DownloadState.allCases.map(\.rawValue)
    private static let keptTotals =
        (states.map { "\($0)_count" } + ["received_bytes", "total_bytes"]).joined(separator: ", ")
    private static let countedTotals =
        (states.map { "coalesce(sum(state = '\($0)'), 0)" }
        + ["coalesce(sum(durable_bytes), 0)", "coalesce(sum(total_bytes), 0)"]).joined(separator: ", ")

    /// Revision, run, epoch and generation never fall.
    private mutating func checkCounters(_ round: [Step]) throws {
        let rows = try fixture.window.read { database in
            try database.all("SELECT id, revision, run, epoch, generation FROM download") { row in
                (id: try row.next(String.self), values: try (1...4).map { _ in try row.next(Int64.self) })
            }
        }
        for (id, values) in rows {
            if let old = last[id] {
                for (index, pair) in zip(old, values).enumerated() {
                    #expect(pair.0 <= pair.1, "counter \(index) of \(id) fell after \(round)")
                }
            }
            last[id] = values
        }
    }

    /// Writes down each move between sessions, of which no event tells, with the number of the last event before it.
    static func recordMoves(in fixture: Fixture) throws {
        try fixture.execute("CREATE TABLE move(after INTEGER, download TEXT, old TEXT, new TEXT)")
        try fixture.execute(
            """
            CREATE TRIGGER record_move AFTER UPDATE ON download WHEN OLD.session IS NOT NEW.session BEGIN
                INSERT INTO move SELECT coalesce(max(seq), 0), NEW.id, OLD.session, NEW.session FROM event;
            END
            """
        )
    }

    /// Plays the events and the moves again: a session finishes right after the last of its downloads has ended or
    /// has left it, each time, numbered from 1.
    private func checkSessions(_ round: [Step]) throws {
        let rows = try fixture.window.read { database in
            try database.all(
                """
                SELECT \(SessionReplay.Event.columns), 0 AS place FROM event WHERE session IS NOT NULL
                UNION ALL SELECT after, 'left', download, old, NULL, 0, rowid FROM move WHERE old IS NOT NULL
                UNION ALL SELECT after, 'entered', download, new, NULL, 0, rowid FROM move WHERE new IS NOT NULL
                ORDER BY seq, place
                """
            ) { try SessionReplay.Event(&$0) }
        }
        for (session, events) in Dictionary(grouping: rows, by: \.session) {
            var replay = SessionReplay()
            for event in events { replay.apply(event) }
            #expect(replay.fault == nil, "session \(session) after \(round)")
            #expect(!replay.mustFinish, "session \(session) has finished without an event after \(round)")
        }
    }
}

/// The events of a session and the moves to and from it played again, to see whether it finished when it should have.
struct SessionReplay {
    private var open: Set<String> = []
    private var finishes: Int64 = 0
    /// Its last download has ended or left, so the next event must say so.
    private(set) var mustFinish = false
    private(set) var fault: String?

    /// What the log, or a record of moves, says of a session.
    struct Event {
        static let columns = "seq, type, download, session, session_epoch, terminal"

        let sequence: Int64
        let type: String
        let download: String?
        let session: String
        let epoch: Int64?
        let isTerminal: Bool

        init(_ row: inout RowReader) throws {
            sequence = try row.next()
            type = try row.next()
            download = try row.next()
            session = try row.next()
            epoch = try row.next()
            isTerminal = try row.next()
        }
    }

    mutating func apply(_ event: Event) {
        if event.type == "session.finished" {
            finishes += 1
            if !mustFinish || event.epoch != finishes { fault = "the end of epoch \(finishes) at the wrong time" }
            mustFinish = false
            return
        }
        if mustFinish { fault = "\(event.type) came before the session was finished" }
        guard let download = event.download else { return }
        if event.isTerminal || event.type == "left" {
            open.remove(download)
            mustFinish = open.isEmpty
        } else if ["download.created", "download.resumed", "entered"].contains(event.type) {
            open.insert(download)
        }
    }
}
