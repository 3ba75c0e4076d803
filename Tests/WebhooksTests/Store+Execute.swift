import Core
import GRDB
@testable import Store

extension Store {
    /// Runs a statement on the connection that writes, to make it fail as a test wants.
    func execute(_ statement: String) async throws {
        try await writer.write { try $0.execute(statement, []) }
    }

    /// The events of a session, in their order.
    func events(of session: String) async throws -> [SessionReplay.Entry] {
        try await readers.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT seq, type, download, session_epoch, terminal FROM event WHERE session = ? ORDER BY seq
                    """,
                arguments: [session]
            ).map { row in
                SessionReplay.Entry(
                    sequence: row["seq"],
                    type: row["type"],
                    download: row["download"],
                    sessionEpoch: row["session_epoch"],
                    isTerminal: row["terminal"]
                )
            }
        }
    }

    /// Whether a delivery waits to be sent.
    func isAnyDeliveryPending() async throws -> Bool {
        try await readers.read { database in
            try Int.fetchOne(database, sql: "SELECT 1 FROM delivery WHERE state = 'pending' LIMIT 1") != nil
        }
    }

    /// Where each delivery of an event stands, and how often it was tried.
    func deliveryStates(of event: EventID) async throws -> [(state: DeliveryState?, attempts: Int)] {
        try await readers.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT state, attempts FROM delivery WHERE event = (SELECT seq FROM event WHERE id = ?)",
                arguments: [event.text]
            ).map { (DeliveryState(rawValue: $0["state"]), $0["attempts"]) }
        }
    }
}
