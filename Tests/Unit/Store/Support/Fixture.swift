import Core
import StoreSupport
import TestSupport

@testable import Store

/// A store of one test's own in a folder of its own, and a second connection that looks behind it.
final class Fixture: StoreSamples, Sendable {
    static let node = "this process"

    let folder: TemporaryFolder
    let store: Store
    let window: DatabaseWindow

    var path: String { "\(folder.path)/store.db" }

    init() throws {
        folder = TemporaryFolder()
        store = try Self.open("\(folder.path)/store.db")
        window = try DatabaseWindow(path: "\(folder.path)/store.db")
    }

    static func open(_ path: String) throws -> Store { try Store(.file(path), encode: encode) }

    static func new(
        _ request: DownloadRequest,
        starts: Bool = true,
        now: Timestamp = now
    ) -> NewDownload {
        NewDownload(id: DownloadID(at: now), request: request, starts: starts, deadlineAt: now + .seconds(86_400))
    }
}

extension Fixture {
    /// The single value of a query, through the second connection.
    func value<Value: ColumnValue>(_ sql: String, _ values: [any ParameterValue] = []) throws -> Value? {
        try window.read { try $0.first(Value.self, sql, values) }
    }

    func count(_ sql: String, _ values: [any ParameterValue] = []) throws -> Int {
        try value("SELECT count(*) FROM \(sql)", values) ?? 0
    }

    func texts(_ sql: String, _ values: [any ParameterValue] = []) throws -> [String] {
        try window.read { try $0.all(String.self, sql, values) }
    }

    /// Runs SQL behind the store's back.
    func execute(_ sql: String, _ values: [any ParameterValue] = []) throws {
        try window.write { database in
            try database.execute(sql, values)
            return true
        }
    }

    /// Whether the schema takes the statement; what it did is undone.
    func accepts(_ sql: String, _ values: [any ParameterValue] = []) throws -> Bool {
        var isTaken = false
        try window.write { database in
            do {
                try database.execute(sql, values)
                isTaken = true
            } catch StoreError.refused {
                isTaken = false
            }
            return false
        }
        return isTaken
    }

    /// The types of the events of a download, in their order.
    func events(of id: DownloadID) throws -> [String] {
        try texts("SELECT type FROM event WHERE download = ? ORDER BY seq", [id.text])
    }

    /// The whole row, to tell whether anything changed.
    func row(_ id: DownloadID) throws -> [SQLValue] {
        let columns = Download.columnNames() + ["session_epoch"]
        return try window.read { database in
            try database.first("SELECT \(columns.columnList()) FROM download WHERE id = ?", [id]) { row in
                columns.map { _ in row.nextValue() }
            } ?? []
        }
    }
}

extension DownloadStateMachine {
    /// Every place where a download can stand.
    static let allMachines: [Self] =
        [.queued, .paused, .completed, .failed, .cancelled].map { Self(state: $0) }
        + DownloadPhase.allCases.map { Self(state: .running, phase: $0) }
        + WaitingFor.allCases.map { Self(state: .waiting, waitingFor: $0) }
}

extension Fixture {
    /// Brings a new download to a stand, by the operations that lead there.
    func download(at machine: DownloadStateMachine, session: String? = nil) async throws -> Download {
        let id = try await make(session: session).id
        switch machine.state {
        case .queued: break
        case .paused: try await done(id, .pause)
        case .cancelled: try await done(id, .cancel)
        case .running: try await run(to: machine.phase)
        case .waiting: _ = try await record(at: nil, Self.deferred(machine.waitingFor ?? .retry))
        case .failed: _ = try await record(at: nil, .failed(Self.error))
        case .completed: _ = try await record(at: .publishing, .completed)
        }
        return try await download(id)
    }

    @discardableResult
    private func run(to phase: DownloadPhase?) async throws -> Claim {
        let claim = try await claim().claim
        switch phase {
        case .probing, nil: break
        case .transferring: _ = try await store.checkpoint(claim, Self.checkpoint(400), now: Self.now)
        case .verifying:
            try execute("UPDATE download SET phase = 'verifying' WHERE id = ?", [claim.id.text])
        case .publishing: _ = try await store.publish(claim, Self.file(), Self.checkpoint(1000), now: Self.now)
        }
        return claim
    }

    private func record(at phase: DownloadPhase?, _ outcome: ClaimOutcome) async throws -> Download {
        let claim = try await run(to: phase)
        return try await store.recordOutcome(claim, outcome, madeProgress: false, now: Self.now).taken
    }
}
