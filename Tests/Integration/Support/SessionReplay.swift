import Core

@testable import Store

/// The events of a session played again, to see whether it reported each end of its last open download.
struct SessionReplay {
    struct Entry: Sendable {
        let sequence: Int64
        let type: String
        let download: String?
        let sessionEpoch: Int64?
        let isTerminal: Bool
    }

    private(set) var finishes: Int64 = 0
    private(set) var fault: String?
    private var open: Set<String> = []
    private var mustFinish = false

    init(_ entries: [Entry]) {
        for entry in entries where fault == nil { apply(entry) }
        if fault == nil, mustFinish { fault = "the end of epoch \(finishes + 1) is not reported" }
    }

    private mutating func apply(_ entry: Entry) {
        guard let download = entry.download else {
            finishes += 1
            if !mustFinish || entry.sessionEpoch != finishes {
                fault = "the end of epoch \(finishes) is reported at \(entry.sequence)"
            }
            mustFinish = false
            return
        }
        if mustFinish { fault = "\(entry.type) at \(entry.sequence) comes before the end of the epoch is reported" }
        if entry.isTerminal {
            open.remove(download)
            mustFinish = open.isEmpty
        } else if entry.type == "download.created" || entry.type == "download.resumed" {
            open.insert(download)
        }
    }
}

extension Store {
    /// Runs a statement on the connection that writes, to make it fail as a test wants.
    func execute(_ statement: String) async throws {
        try await writer.write { try $0.execute(statement) }
    }

    /// The events of a session, in their order.
    func events(of session: String) async throws -> [SessionReplay.Entry] {
        try await readers.read { database in
            try database.all(
                "SELECT seq, type, download, session_epoch, terminal FROM event WHERE session = ? ORDER BY seq",
                [session]
            ) { row in
                try SessionReplay.Entry(
                    sequence: row.next(),
                    type: row.next(),
                    download: row.next(),
                    sessionEpoch: row.next(),
                    isTerminal: row.next()
                )
            }
        }
    }

    /// Whether a delivery waits to be sent.
    func isAnyDeliveryPending() async throws -> Bool {
        try await readers.read { try $0.exists("SELECT 1 FROM delivery WHERE state = 'pending' LIMIT 1") }
    }

    /// Where each delivery of an event stands, and how often it was tried.
    func deliveryStates(of event: EventID) async throws -> [(state: DeliveryState?, attempts: Int)] {
        try await readers.read { database in
            try database.all(
                "SELECT state, attempts FROM delivery WHERE event = (SELECT seq FROM event WHERE id = ?)",
                [event]
            ) { row in (state: DeliveryState(rawValue: try row.next()), attempts: try row.next()) }
        }
    }
}
