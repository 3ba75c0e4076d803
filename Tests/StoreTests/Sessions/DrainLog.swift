import Core
import GRDB
import Store
import TestSupport

/// A store whose events of sessions can be read back, with a second connection that looks behind it.
final class DrainLog: Sendable {
    let store: Store
    private let folder: TemporaryFolder
    private let raw: DatabaseQueue

    init() throws {
        folder = TemporaryFolder()
        let path = "\(folder.path)/store.db"
        store = try Store(path: path) { event, _ in
            guard case .session(let drain) = event.subject else { return [] }
            return Array("\(drain.lastSequence) \(DrainRecord(drain))".utf8)
        }
        raw = try DatabaseQueue(path: path)
    }

    /// What the events of a session say, each with the number of the last event before its end.
    func drains(of session: SessionName) throws -> [(record: String, lastSequence: Int64)] {
        let texts = try raw.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT CAST(body AS TEXT) FROM event WHERE session = ? AND type = 'session.finished'
                    ORDER BY session_epoch
                    """,
                arguments: [session.text]
            )
        }
        return texts.map { text in
            let parts = text.split(separator: " ", maxSplits: 1)
            return (String(parts[1]), Int64(parts[0]) ?? 0)
        }
    }

    func lastSequence() throws -> Int64 {
        try raw.read { try Int64.fetchOne($0, sql: "SELECT max(seq) FROM event") } ?? 0
    }

    /// Plays the events of a session again.
    ///
    /// - Parameter sequence: They came after this one.
    /// - Returns: What is wrong with them; nil where nothing is.
    func fault(of session: SessionName, after sequence: Int64) throws -> String? {
        let events = try raw.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT seq, type, download, session, session_epoch, terminal FROM event
                    WHERE seq > ? AND session = ? ORDER BY seq
                    """,
                arguments: [sequence, session.text]
            )
        }
        var replay = SessionReplay()
        var ends: [Int64] = []
        var previous: Int64 = 0
        for event in events {
            replay.take(event)
            let number: Int64 = event["seq"]
            if event["type"] == "session.finished" { ends.append(previous) }
            previous = number
        }
        if let fault = replay.fault { return fault }
        if replay.mustFinish { return "it drained unsaid" }
        return ends == (try drains(of: session).map(\.lastSequence)) ? nil : "the last event is another"
    }
}
